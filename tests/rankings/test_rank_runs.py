"""Runs of rankers over the lists of a release, and their tables by command, page and API."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.jobs import new_token
from annotation.models import Annotation, Membership, Project, RankingList, Sample
from annotation.services.core.errors import BadInput
from annotation.services.withdrawal.texts import TEXT_HOLDERS
from epitome.metrics.ranking import Scored, chance_level
from epitome.reports.rankings import ListFacts, RankedRun, ablation_table
from epitome.systems.batching import Batcher
from epitome.systems.registry import make_system
from epitome.systems.serialization import Schemas
from evaluation.services.aggregations import rank_tables
from evaluation.services.aggregations.ranking_lists import make_ranking_lists
from modelbridge.models import Run
from modelbridge.services.runs import output_leases, runs
from modelbridge.services.runs.system_requests import build_work
from modelbridge.services.systems import systems
from tests.rankings.factories import freeze, make_aggregation_project, make_ranked_project

pytestmark = pytest.mark.django_db
WRITER = '[system]\nkey = "writer"\nkind = "lead"\nname = "Writer"\n'


def run_command(*arguments, **options):
    out = StringIO()
    call_command(*arguments, stdout=out, **options)
    return out.getvalue()


def rank_here(project, key, over="ranking", toml=""):
    """A finished run, its system in this process instead of one of its own."""
    if toml:
        revision = systems.register_system(project=project, toml_text=toml, by=None)
    else:
        revision = systems.register_shipped(project=project, key=key, by=None)
    run = runs.start_run(project=project, revision=revision, by=None, over=over, queue_it=False)
    Run.objects.filter(pk=run.pk).update(state="running")
    token = new_token()
    batcher = Batcher(make_system(revision.config))
    while rows := output_leases.claim_batch(run, token, 50):
        work = build_work(run, rows)
        schemas = Schemas()
        schemas.add(work.message["schemas"])
        results = batcher.run([schemas.request(request) for request in work.message["requests"]])
        output_leases.store_results(run, token, work.collect(revision.role, results))
    output_leases.settle_run(run)
    run.refresh_from_db()
    return run


@pytest.fixture
def project():
    return make_ranked_project()


@pytest.fixture
def client_of(client, django_user_model):
    def sign_in(project, role="researcher"):
        user = django_user_model.objects.create_user(f"{role}-{project.slug}")
        Membership.objects.create(user=user, project=project, role=role)
        client.force_login(user)
        return client

    return sign_in


def test_a_run_over_the_lists_names_its_release_and_stays_with_it(project):
    run = rank_here(project, "rank-frequency")
    assert run.over == "ranking:v1" and run.n_samples == 24
    freeze(project, "v2")
    assert runs.find_unfinished_run(revision=run.revision, split="", seed=0, over="ranking") is None
    for over, words in (("ranking:v2", "these releases have some: v1"), ("references", "say which: .*ranking")):
        with pytest.raises(BadInput, match=words):
            runs.start_run(project=project, revision=run.revision, by=None, over=over, queue_it=False)


def test_a_run_can_be_over_one_split_alone(project):
    run = rank_here(project, "rank-random", over="ranking:v1/test")
    test_lists = RankingList.objects.filter(split="test")
    assert run.n_samples == test_lists.count() > 0
    assert rank_tables.release_of(run) == "v1"


def test_frequency_learns_from_train_lists_alone(project):
    run = rank_here(project, "rank-frequency")
    counts = {}
    for row in RankingList.objects.filter(split="train"):
        for text, gold in zip(row.candidates, row.golds, strict=True):
            counts[text] = counts.get(text, 0) + gold
    for output in run.outputs.all():
        assert [row["score"] for row in output.candidates] == [counts.get(row["text"], 0) for row in output.candidates]


def test_the_report_compares_runs_with_chance_and_the_published_rows(project):
    frequency, random = rank_here(project, "rank-frequency"), rank_here(project, "rank-random")
    values = json.loads(run_command("rank_report", project.slug, str(frequency.public_id), "rank-random", "--json"))
    table = values["tables"][0]
    rows = {row[0]["value"]: row[1:] for row in table["rows"]}
    lists = RankingList.objects.filter(split="test")
    levels = [chance_level(sum(row.golds), len(row.candidates)) for row in lists]
    expected = sum(level["ap"] for level in levels) / len(levels)
    assert rows["Random order, exact"][0]["value"] == pytest.approx(expected)
    random_order_r1 = rows["Random order (r1)"]
    assert random_order_r1[0]["value"] == pytest.approx(expected) and random_order_r1[0]["n"] == len(levels)
    assert rows["Frequency in train (r1)"][0]["value"] > expected
    assert [cell["value"] for cell in rows["BART discriminative"][:3]] == [0.895, 0.991, 0.954]
    assert len(table["quoted"]) == 6 and random.outputs.filter(state="done").count() == 24
    cuts = values["tables"][1]
    types = [row[1]["value"] for row in cuts["rows"] if row[0]["value"] == "Type"]
    assert set(types) == set(lists.values_list("sample__instance__entity_type", flat=True))
    assert {row[0]["value"] for row in cuts["rows"]} == {"Type", "Entities", "Entities in train", "Golds", "Context"}
    text = run_command("rank_report", project.slug, "rank-frequency")
    assert "Frequency in train (r1)" in text and "BART generative" in text
    assert "rankings" in run_command("rank_report", project.slug, "rank-frequency", "--latex")
    assert "MAP" in run_command("rank_report", project.slug, "rank-frequency", "--csv", "--split", "train")


def test_an_ablation_is_told_by_the_input_of_systems_of_one_family():
    facts = [ListFacts(f"k{n}", f"article-{n}", "person", 2, 1, 3, False, "content") for n in range(8)]
    golds = [True, False, False]

    def run(name, family, form, scores):
        return RankedRun(name, family, form, {row.key: Scored(row.key, scores, golds) for row in facts})

    full, names = run("full", "bart", "full", [3, 2, 1]), run("names", "bart", "names", [1, 2, 3])
    other = run("other", "t5", "names", [1, 2, 3])
    table = ablation_table([full, names, other], facts)
    assert [[cell.value for cell in row[:3]] for row in table.rows] == [["full", "names", pytest.approx(1 / 3 - 1)]]
    assert table.rows[0][2].n == 8 and table.rows[0][3].value == 2 / 2**8  # all ways to swap eight articles
    assert ablation_table([full, other], facts) is None


def test_runs_over_other_texts_or_other_releases_are_not_compared(project):
    first = rank_here(project, "rank-random")
    freeze(project, "v2")
    make_ranking_lists(project=project, tag="v2", by=None)
    second = rank_here(project, "rank-frequency", over="ranking:v2")
    with pytest.raises(CommandError, match="one release can be compared, not of: v1, v2"):
        call_command("rank_report", project.slug, str(first.public_id), str(second.public_id))
    plain = runs.start_run(
        project=project,
        revision=systems.register_system(project=project, toml_text=WRITER, by=None),
        by=None,
        queue_it=False,
    )
    with pytest.raises(CommandError, match="ranked no lists"):
        call_command("rank_report", project.slug, str(plain.public_id))
    with pytest.raises(CommandError, match="No run has the id nothing"):
        call_command("rank_report", project.slug, "nothing")


def test_the_page_makes_lists_and_shows_the_tables_of_runs(project, client_of):
    client = client_of(project)
    freeze(project, "v2")
    url = reverse("rankings", args=[project.slug])
    page = client.post(url, {"release": "v2", "split_by": "instance", "seed": "1"}, follow=True)
    assert "Ranking lists made: 24." in page.content.decode()
    assert RankingList.objects.filter(release__tag="v2", split_by="instance").count() == 24
    rank_here(project, "rank-frequency", over="ranking:v1")
    page = client.get(url).content.decode()
    assert "Frequency in train (r1)" in page and "BART generative" in page
    table = client.get(reverse("rankings-file", args=[project.slug]) + "?table=rankings&format=csv")
    assert table["Content-Disposition"].startswith("attachment") and b"Frequency" in table.content
    lists = client.get(reverse("ranking-lists-file", args=[project.slug, "v1"]))
    assert len(b"".join(lists.streaming_content).splitlines()) == 24


def test_a_release_without_splits_is_refused_on_the_page_with_what_to_do(client_of):
    project = make_aggregation_project(3)
    freeze(project, drawn=False)
    page = client_of(project).post(
        reverse("rankings", args=[project.slug]), {"release": "v1", "split_by": "release", "seed": "0"}
    )
    assert page.status_code == 422 and "Draw the splits by article or by instance" in page.content.decode()


def test_one_list_is_shown_as_every_run_ranked_it_and_as_systems_wrote_it(project, client_of):
    rank_here(project, "rank-frequency")
    sample = RankingList.objects.filter(split="test").first().sample
    written = rank_here(project, "", over="", toml=WRITER)
    golds = RankingList.objects.get(sample=sample)
    gold = next(text for text, is_gold in zip(golds.candidates, golds.golds, strict=True) if is_gold)
    hypotheses = [{"text": gold.upper(), "score": -0.5}, {"text": "something else", "score": -1.5}]
    written.outputs.filter(sample=sample).update(candidates=hypotheses)
    url = reverse("ranking-case", args=[project.slug, "v1", sample.public_id])
    page = client_of(project).get(url).content.decode()
    assert f"<b>{gold}</b>" in page and f"<b>{gold.upper()}</b>" in page and "0.6065" in page
    assert ", ".join(entity["name"] for entity in sample.instance.entities) in page
    other = Sample.objects.exclude(pk=sample.pk).first()
    RankingList.objects.filter(sample=other).delete()
    assert (
        client_of(project, "admin").get(reverse("ranking-case", args=[project.slug, "v1", other.public_id])).status_code
        == 404
    )


def test_the_funnel_page_and_its_files(project, client_of):
    client = client_of(project, "reviewer")
    page = client.get(reverse("aggregation-report", args=[project.slug]) + "?release=v1").content.decode()
    assert "Annotations kept" in page and "release v1" in page
    file = client.get(reverse("aggregation-report-file", args=[project.slug]) + "?table=funnel&format=csv")
    assert b"Annotations kept,72" in file.content


def test_the_calls_answer_what_the_commands_print(project, client_of):
    client = client_of(project)
    base = f"/api/v1/projects/{project.slug}"
    funnel = client.get(f"{base}/aggregation-report/").json()
    assert funnel == json.loads(run_command("aggregation_report", project.slug, "--json"))
    lists = client.get(f"{base}/ranking-lists/").json()["releases"]
    assert [row["lists"] for row in lists[0]["splits"]] == [
        RankingList.objects.filter(split=split).count() for split in ("train", "dev", "test")
    ]
    again = client.post(f"{base}/ranking-lists/", {"release": "v1"}, content_type="application/json")
    assert again.status_code == 409
    rank_here(project, "rank-random")
    tables = client.get(f"{base}/rankings/?run=rank-random").json()
    assert (tables["release"], tables["split"]) == ("v1", "test")
    assert tables["tables"][0]["key"] == "rankings"
    assert client.get(f"{base}/rankings/?run=rank-random&split=all").status_code == 400


def test_the_tables_take_as_many_queries_for_many_lists_as_for_few(django_assert_num_queries):
    for n_articles in (4, 12):
        project = make_ranked_project(n_articles, slug=f"of-{n_articles}")
        run = rank_here(project, "rank-random")
        run = rank_tables.find_rank_runs(project, [str(run.public_id)])[0]
        with django_assert_num_queries(2):
            rank_tables.read_report(project, [run], "train")


def test_a_withdrawal_masks_answers_that_nobody_else_gave_and_leaves_the_tables(django_user_model):
    project = make_aggregation_project()
    person = django_user_model.objects.get(username="annotator1")
    lonely = Annotation.objects.filter(assignment__annotator=person).order_by("pk")[0]
    payload = {**lonely.payload, "answers": [lonely.payload["answers"][0], "my own phrase"]}
    Annotation.objects.filter(pk=lonely.pk).update(payload=payload)
    freeze(project)
    make_ranking_lists(project=project, tag="v1", by=None)
    run = rank_here(project, "rank-frequency")
    rows_before = rank_tables.build_tables(project, rank_tables.read_report(project, [run], "train"))["tables"][0][
        "rows"
    ]
    holder = TEXT_HOLDERS["ranking_lists"]
    projects = Project.objects.filter(pk=project.pk)
    assert holder.count(projects, person.pk) == holds_phrase(RankingList.objects.all()) > 0
    holder.empty(projects, person.pk)
    assert holds_phrase(RankingList.objects.all()) == holds_phrase(run.outputs.all()) == 0
    rows_after = rank_tables.build_tables(project, rank_tables.read_report(project, [run], "train"))["tables"][0][
        "rows"
    ]
    assert rows_before == rows_after


def holds_phrase(rows):
    return sum("my own phrase" in json.dumps(row.candidates) for row in rows)
