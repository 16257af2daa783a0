"""Nothing that reaches a rater tells one system from another: no name in any disguise, no id, no order, no size.

Systems, runs, rounds and foils carry random canaries; every byte a rater can receive is searched for them.
"""

import base64
import hashlib
import os
import random
import re
import secrets
from collections import Counter

import pytest
from django.db import connection
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Contrastive, Role
from evaluation.models import Item, ItemAssignment, RatingSlot
from evaluation.services.rating import answers as rating_answers
from evaluation.services.reports import judgements
from modelbridge.models import Run, System, SystemRevision
from tests.rounds.crawling import Watch, canary, crawl, crawl_static
from tests.rounds.disagreeing import disagreeing, request_more
from tests.rounds.examples import check_round, make_examples, make_scorer_run
from tests.rounds.factories import (
    answers_for,
    claim,
    config,
    launch_new_round,
    make_run,
    member,
    project_with_gold,
    rate_all,
    raters_of,
)
from tests.rounds.forms import list_round, single_round
from tests.rounds.judged import answer_all, make_judge

pytestmark = pytest.mark.django_db
FULL = bool(os.environ.get("EPITOME_TEST_FULL"))
NONCE = re.compile(rb'nonce="[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"')


def round_text(names: list[str], form: str) -> str:
    """A round of gold and two systems whose keys and name are canaries, in one of the forms."""
    targets = "\n".join(f'[[target]]\nsystem = "{key}"\nkey = "{key}-{names[4]}"' for key in names[:2])
    more = f"{targets}\n[quality]\nrepeats = 1"
    if form == "yes-no":
        return config(name=names[5], n=4, more=more)
    if form == "pair":
        return config(name=names[5], template="pairwise-preference", n=4, more=more)
    text = list_round(names[5]) if form == "list" else single_round(names[5])
    items_before, template = text[: text.index("[[target]]")], text[text.index("[template]") :]
    return f'{items_before}[[target]]\nkind = "gold"\n{more}\n{template}'


@pytest.fixture(params=["yes-no", "pair", "list", "single"])
def hidden(request, db):
    """A round of gold and two systems with foils and repeats; all names are canaries. Outputs do not hold them."""
    names = [canary() for _ in range(6)]
    project = project_with_gold(documents=14)
    for key, text in zip(names[:2], ("One text of topic 1.", "Another text, longer, of topic 1."), strict=True):
        run = make_run(project, key, text=text)
        Run.objects.filter(pk=run.pk).update(label=names[2])
        System.objects.filter(key=key).update(name=names[3])
        SystemRevision.objects.filter(system__key=key).update(
            kind="lead", config_hash=hashlib.sha256(key.encode()).hexdigest()
        )
    raters = raters_of(project)
    text = round_text(names, request.param)
    round_ = launch_new_round(project, text=text, read=False)
    ids = [str(run.public_id) for run in Run.objects.all()] + [round_.items_hash, round_.config_hash]
    ids += [str(item) for item in Item.objects.values_list("public_id", flat=True)]
    return project, round_, raters, [*names, *ids, "other-source", "no_control", '"kind"', "expected"]


@pytest.fixture
def checked(db):
    """A round over contrastive examples that a system with a canary's name did not dodge; rules are canaries too."""
    names = [canary() for _ in range(3)]
    rules = ["zq" + secrets.token_hex(4) for _ in range(2)]
    project = project_with_gold(documents=14)
    make_examples(project, rules=rules)
    public_ids = [str(contrastive) for contrastive in Contrastive.objects.values_list("public_id", flat=True)]
    run = make_scorer_run(project, dict.fromkeys(public_ids, -1.0), key=names[0], label=names[1])
    raters = raters_of(project)
    text = check_round(names[2], per_rule=4, n_raters=2, selection=f'not_dodged_by = "{names[1]}"')
    round_ = launch_new_round(
        project, text=text.replace("[selection]", "[quality]\nrepeats = 1\n[selection]"), read=False
    )
    return project, round_, raters, [*names, *rules, str(run.public_id), *public_ids]


@pytest.fixture(params=["random", "active", "stopping"])
def judged(request, db):
    """A round of gold and a system with two judges, and items chosen for people or a stopping rule; all names are
    canaries."""
    names = [canary() for _ in range(5)]
    project = project_with_gold(documents=14)
    make_run(project, names[0], text="One text of topic 1.")
    judges = [make_judge(project, key) for key in names[1:3]]
    for judge in judges:
        System.objects.filter(pk=judge.system_id).update(name=names[3])
    raters = raters_of(project)
    keys = ", ".join(f'"{key}"' for key in names[1:3])
    more = f'[[target]]\nsystem = "{names[0]}"\n[judge]\nsystems = [{keys}]\ncombine = "ppi"\n'
    more += '[stopping]\nrule = "decided"\n' if request.param == "stopping" else ""
    text = config(name=names[4], n=8, more=more)
    if request.param != "stopping":
        text = text.replace("n = 8\n", f'n = 8\nfor_people = "{request.param}"\nn_for_people = 4\n', 1)
    round_ = launch_new_round(project, text=text, read=False)
    ids = [round_.items_hash, round_.config_hash, *(judge.config_hash for judge in judges)]
    return project, round_, raters, judges, [*names, *ids]


def test_no_byte_tells_of_judges_chosen_items_or_rules(judged):
    project, result, raters, judges, secret = judged
    waiting = Watch(raters[0])
    crawl(waiting, project, result)  # before the judges have answered
    for judge in judges:
        answer_all(result, judge)
    watch = Watch(raters[1])
    crawl(watch, project, result)
    pages = [text for text in (*waiting.seen, *watch.seen) if b'"openapi"' not in text]
    assert sum(b'"summaries"' in text for text in pages) >= 8
    assert waiting.leaks(secret) == [] and watch.leaks(secret) == []
    # Whole words, since a form's token is random letters.
    words = re.compile(rb'"chance"|"for_people"|\b(?:waits_for|ppi|stopping|interim)\b')
    item_pages = [text for text in pages if b'"summaries"' in text]
    assert [word for text in item_pages for word in words.findall(text.lower())] == []


def test_no_byte_names_the_rule_or_the_system_of_a_contrastive_example(checked):
    project, result, raters, secret = checked
    watch = Watch(raters[0])
    crawl(watch, project, result)
    assert sum(b'class="changed"' in text for text in watch.seen) >= 10
    pages = [text for text in watch.seen if b'"marks"' in text and b'"openapi"' not in text]
    assert pages and not any(word in text for text in pages for word in (b'"rule"', b"not_dodged", b'"kind"'))
    # Ids of examples are many: looked for as they are; names, rules and the run in every disguise.
    everything = b"\n".join(watch.seen)
    assert watch.leaks(secret[:6]) == [] and not any(word.encode() in everything for word in secret)


def test_no_byte_names_a_system_a_run_a_round_or_a_foil(hidden):
    project, result, raters, secret = hidden
    watch = Watch(raters[0])
    crawl(watch, project, result)
    crawl_static(watch)
    assert len(watch.seen) > 100
    words = [item for item in secret if not item.startswith(("other", "no_c", '"k', "exp"))]
    assert watch.leaks(words) == []
    item_pages = [text for text in watch.seen if b'"summaries"' in text and b'"openapi"' not in text]
    assert item_pages and not any(word.encode() in text for text in item_pages for word in secret)


MASKED = re.compile(
    rb'[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|rater\d+|data-person="\d+"|\d{2}:\d{2}|Item \d+'
    rb'|"(?:number|done)": \d+|<footer class="panel-foot">\s*<a .*?</a>',
    re.DOTALL,
)
"""What is each rater's own on a page: ids, names, times, the place in the order, and the way back."""


def seen_by(rater, made) -> tuple[list[dict], list[bytes]]:
    """Every item of a rater as call and page show it, in one order for all, without what is each rater's own."""
    client, calls, pages = Client(), [], []
    client.force_login(rater)
    views = ItemAssignment.objects.filter(round=made, rater=rater)
    for view in views.order_by("item__number"):
        answer = client.get(f"/api/v1/items/{view.public_id}/")
        by_key = {key: value for key, value in answer.json().items() if key not in ("id", "page", "progress")}
        calls.append({**by_key, "heads": sorted(answer.headers), "revision": bool(by_key["revision"])})
        page = client.get(answer.json()["page"]).content
        pages.append(re.sub(rb"\s+", b" ", MASKED.sub(b"", NONCE.sub(b"", page))))
    return calls, pages


def test_an_additional_rating_looks_like_a_planned_one():
    result, raters = disagreeing()
    request_more(result)
    watch = Watch(raters[2])
    crawl(watch, result.project, result)
    assert len(RatingSlot.objects.filter(extra=True, state="filled")) == 6
    assert seen_by(raters[0], result) == seen_by(raters[2], result)
    item_pages = [text for text in watch.seen if b'"summaries"' in text and b'"openapi"' not in text]
    words = re.compile(rb"\bextra\b|additional|disagree|\bplanned\b|once more")
    assert len(item_pages) > 12 and [word for text in item_pages for word in words.findall(text.lower())] == []


def test_the_crawl_finds_a_planted_name(hidden):
    _project, _result, raters, secret = hidden
    watch = Watch(raters[0])
    for planted in (
        secret[0],
        base64.b64encode(f"x{secret[0]}y".encode()).decode(),
        hashlib.md5(secret[0].encode()).hexdigest(),
    ):
        watch.seen = [f"<p data-x='{planted}'>".encode()]
        assert watch.leaks([secret[0]])


@pytest.mark.parametrize("place", ["body", "stream", "header", "cookie", "address"])
def test_the_crawl_reads_every_part_of_an_answer(place, monkeypatch, django_user_model):
    word = canary()
    watch = Watch(django_user_model.objects.create(username="rater"))
    answers = {
        "body": HttpResponse(word),
        "stream": StreamingHttpResponse([word.encode()]),
        "header": HttpResponse(headers={"ETag": f'"{hashlib.sha256(word.encode()).hexdigest()}"'}),
        "address": HttpResponse(headers={"Location": f"/runs/{word}/"}),
    }
    if place == "cookie":
        watch.client.cookies["last"] = word
    monkeypatch.setattr(watch.client, "get", lambda *_arguments, **_options: answers.get(place, HttpResponse()))
    watch("get", "/")
    assert watch.leaks([word])


def test_after_the_round_a_rater_still_learns_nothing(hidden):
    from evaluation.services.monitoring import round_control

    project, result, raters, secret = hidden
    crawl(Watch(raters[0]), project, result)
    round_control.apply_action(round_=result, action="unblind", by=None)
    watch = Watch(raters[0])
    watch("get", f"/p/{project.slug}/rating/")
    for view in ItemAssignment.objects.filter(rater=raters[0]):
        watch("get", reverse("item", args=[view.public_id]))
        watch("get", f"/api/v1/items/{view.public_id}/")
    assert watch.leaks(secret[:6]) == [] and len(watch.seen) > 20


def test_ids_are_random_and_a_raters_own(rated):
    first, second = (rate_all(rated.round, rater) for rater in rated.raters)
    shared = {view.item.public_id for view in first}
    ids = [view.public_id for view in (*first, *second)]
    assert len(set(ids)) == 24 and not shared & set(ids)
    assert all(id_.version == 4 for id_ in ids)  # uuid7 would tell the order


def features(client: Client, view: ItemAssignment) -> list[float]:
    """All that could be known of a view but its words: order, ids, headers, sizes less the texts', and the number of
    queries, which stands for the time an answer takes."""
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(f"/api/v1/items/{view.public_id}/")
        n_queries = len(queries)
        page = client.get(answer.json()["page"])
    data = answer.json()
    texts = sum(len(summary["text"].encode()) for summary in data["summaries"])
    size = len(NONCE.sub(b"", page.content)) - 2 * texts  # once on the page, once in its data
    return [
        float(data["progress"]["number"]),
        float(view.public_id.int % 2**32),
        float(view.public_id.int >> 100),
        float(len(answer.content) - texts),
        float(size),
        float(len(answer.headers)),
        float(sum(len(value) for name, value in answer.headers.items() if name != "Content-Length")),
        float(len(data["questions"])),
        float(n_queries),
        float(len(queries) - n_queries),
    ]


def neighbours(rows: list[list[float]], k: int = 9):
    """Of each view of the second half, the k nearest of the first."""
    import numpy as np

    table = np.array(rows)
    table = (table - table.mean(axis=0)) / np.where(table.std(axis=0) > 0, table.std(axis=0), 1)
    half = len(table) // 2
    return [np.argsort(((table[:half] - row) ** 2).sum(axis=1))[:k] for row in table[half:]]


def balanced_accuracy(near, labels) -> float:
    """The mean share found of each system by the majority of the neighbours."""
    import numpy as np

    half = len(labels) - len(near)
    right = [Counter(labels[i] for i in rows).most_common(1)[0][0] == labels[half + at] for at, rows in enumerate(near)]
    rest = labels[half:]
    shares = [[fine for fine, label in zip(right, rest, strict=True) if label == item] for item in sorted(set(rest))]
    return float(np.mean([sum(share) / len(share) for share in shares]))


def guess_systems(rows: list[tuple[list[float], str]]) -> tuple[float, float]:
    """(balanced accuracy, its p under permuted labels) of guesses from the features of views."""
    chance = random.Random(1)
    rows = chance.sample(rows, len(rows))
    near, labels = neighbours([row for row, _label in rows]), [label for _row, label in rows]
    reached = balanced_accuracy(near, labels)
    null = [balanced_accuracy(near, chance.sample(labels, len(labels))) for _draw in range(300 if FULL else 2000)]
    return reached, (1 + sum(item >= reached for item in null)) / (1 + len(null))


@pytest.mark.parametrize("leak", range(10))
def test_the_classifier_finds_a_planted_difference(leak):
    """In each of the features alone: the place in the order, an id, a size, a header, the number of queries."""
    chance, rows = random.Random(leak), []
    for number in range(64):
        row = [chance.random() for _feature in range(10)]
        row[leak] += 8 * (number % 2)
        rows.append((row, "ab"[number % 2]))
    assert guess_systems(rows)[1] <= 0.001


def test_a_classifier_of_everything_but_the_words_does_no_better_than_chance(db):
    """Texts of one length, so that what is left of the sizes is not the text itself."""
    n = 2500 if FULL else 16
    project = project_with_gold(documents=n, topics=2)
    for key in ("aa", "bb"):
        make_run(project, key, text="The ferry left late." if key == "aa" else "The storm came soon.")
    raters = raters_of(project)
    more = '[[target]]\nsystem = "aa"\n[[target]]\nsystem = "bb"'
    text = config(n=n, more=more).replace('[[target]]\nkind = "gold"\n', "")
    round_ = launch_new_round(project, text=text)
    rows = []
    for rater in raters:
        client = Client()
        client.force_login(rater)
        while (view := claim(round_, rater)) is not None:
            rows.append((features(client, view), view.item.targets[0]["target"]))
            rating_answers.save_answers(assignment=view, payload=answers_for(view), finish=True)
    assert len(rows) == 4 * n
    reached, p = guess_systems(rows)
    # Ids are random: without a leak p is below a bound as often as the bound says, so a small one spares vain alarms.
    assert p > (0.01 if FULL else 0.001), f"balanced accuracy {reached:.3f} on {len(rows)} views, p = {p:.3f}"


def chi_square(counts: Counter, cells: int) -> float:
    expected = sum(counts.values()) / cells
    return sum((n - expected) ** 2 / expected for n in counts.values()) + (cells - len(counts)) * expected


def test_every_system_stands_everywhere_equally_often(db):
    """Thirds of each rater's sequence, and sides of pairs, over rounds of many seeds; chi-square at .01."""
    from tests.rounds.designs import build_candidates, plan_design

    rows = build_candidates(200 if FULL else 60)
    n = 100 if FULL else 30
    for template, cells in (("macsum-yes-no", 9), ("pairwise-preference", 6)):
        counts: Counter = Counter()
        for seed in range(12 if FULL else 4):
            head = "raters_per_item = 3"
            _config, plan = plan_design(f"[selection]\nn = {n}", seed=seed, template=template, head=head, rows=rows)
            for lane in plan.lanes:
                for place, number in enumerate(lane.order):
                    value = plan.items[number]
                    counts[value.cell, lane.left[number] if cells == 6 else 3 * place // len(lane.order)] += 1
        assert sum(counts.values()) >= (10_000 if FULL else 1_000)
        assert chi_square(counts, cells) < {9: 20.09, 6: 15.09}[cells]


def test_a_raters_file_or_report_is_nowhere_to_be_had(rated):
    watch = Watch(rated.raters[0])
    for name in ("round", "round-judgements", "round-design"):
        path = reverse(name, args=[rated.project.slug, rated.round.public_id])
        assert watch("get", path).status_code == 404
    researcher = member(rated.project, "researcher", Role.RESEARCHER)
    assert (
        Watch(researcher)("get", reverse("round", args=[rated.project.slug, rated.round.public_id])).status_code == 200
    )
    assert list(judgements.export_lines(rated.round)) == []
