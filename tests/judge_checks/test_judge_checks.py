"""Judges held against labels by hand: drawn half and half, labelled blind, kept by the text for every judge."""

import json
import uuid
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Annotation, AuditEvent, Role
from annotation.services.core.errors import BadInput
from evaluation.models import HandLabel, JudgeCheck
from evaluation.services.judge_checks import check_draws, check_tables, hand_labels
from evaluation.services.judge_checks.check_draws import get_question
from evaluation.services.runs_compared.run_comparison import compare_runs, describe_judges
from tests.tasks.factories import make_people

pytestmark = pytest.mark.db_engine
CANARY = "canary-judge-7f31"


def draw(project, n=10, seed=0, over="references"):
    return check_draws.draw_check(project=project, question="focus", over=over, n=n, seed=seed, by=None)


def right_answer(text):
    return "empirical" if "measured" in text else "conceptual"


def label_all(check, by, answer_of=right_answer):
    for number, (origin, _hash) in enumerate(check.texts, 1):
        text = Annotation.objects.get(pk=int(origin.partition(":")[2])).payload["summary"]
        hand_labels.store_label(check=check, number=number, label=answer_of(text), by=by)


def validity_of(project):
    return check_tables.check_as_dict(project, get_question("focus"))


def test_half_of_the_texts_are_of_each_answer_and_the_seed_alone_orders_them(project):
    check = draw(project, n=6)
    texts = [Annotation.objects.get(pk=int(origin.partition(":")[2])).payload["summary"] for origin, _ in check.texts]
    assert sorted(map(right_answer, texts)) == ["conceptual"] * 3 + ["empirical"] * 3
    assert draw(project, n=6).pk == check.pk and JudgeCheck.objects.count() == 1
    assert draw(project, n=6, seed=1).texts != check.texts


def test_fewer_texts_of_one_answer_mean_as_few_of_the_other(project):
    for annotation in Annotation.objects.filter(sample__values__focus="high")[:3]:
        annotation.delete()
    texts = draw(project, n=100).texts
    assert len(texts) == 4


@pytest.mark.parametrize(
    ("told", "field"),
    [
        ({"n": 1}, "n"),
        ({"n": 10**6}, "n"),
        ({"seed": -1}, "seed"),
        ({"over": "run:7"}, "over"),
        ({"over": "x"}, "over"),
    ],
)
def test_a_draw_that_cannot_be_is_refused_by_field(project, told, field):
    with pytest.raises(BadInput) as refused:
        draw(project, **told)
    assert refused.value.field == field and not JudgeCheck.objects.exists()


def test_a_project_without_one_of_the_focuses_has_nothing_to_draw(project):
    Annotation.objects.filter(sample__values__focus="high").delete()
    with pytest.raises(BadInput, match="empirical"):
        draw(project)


def test_accuracy_counts_invalid_answers_as_wrong_and_kappa_leaves_them_out(project, member, judged):
    _client, person = member(Role.RESEARCHER)
    label_all(draw(project), person)
    wrong = iter(["empirical", ""])

    def answer(text):
        return right_answer(text) if right_answer(text) == "empirical" else next(wrong, "conceptual")

    judged("judge", answer)
    (judge,) = validity_of(project)["judges"]
    assert (judge["texts"], judge["accuracy"]) == (10, 0.8)
    assert judge["ci95"] == pytest.approx([0.4902, 0.9433], abs=1e-3)
    # 9 valid: 5 and 3 right, 1 wrong. Observed 8/9; by chance (5 * 6 + 4 * 3) / 81.
    expected = (5 * 6 + 4 * 3) / 81
    assert judge["kappa"] == pytest.approx((8 / 9 - expected) / (1 - expected))
    counts = {(row["by_hand"], row["by_judge"]): row["texts"] for row in judge["confusion"]}
    assert counts == {
        ("empirical", "empirical"): 5, ("conceptual", "conceptual"): 3,
        ("conceptual", "empirical"): 1, ("conceptual", ""): 1,
    }  # fmt: skip


def test_one_labelling_serves_every_judge_and_the_same_words_elsewhere(project, member, judged):
    _client, person = member(Role.RESEARCHER)
    label_all(draw(project), person)
    judged("good", right_answer)
    judged("same", lambda _text: "empirical")
    rows = {judge["judge"].split()[0]: judge["accuracy"] for judge in validity_of(project)["judges"]}
    assert rows == {"good": 1.0, "same": 0.5}
    for annotation in list(Annotation.objects.all()):  # new rows with the same words: no label is lost
        annotation.delete()
        annotation.pk, annotation.public_id = None, uuid.uuid4()
        annotation.save(force_insert=True)
    judged("new", right_answer)
    assert {judge["judge"].split()[0]: judge["texts"] for judge in validity_of(project)["judges"]}["new"] == 10


def test_a_text_that_people_cannot_tell_or_disagree_on_is_left_out(project, member, judged):
    _client, first = member(Role.RESEARCHER)
    _client, second = member(Role.REVIEWER)
    check = draw(project)
    label_all(check, first)
    hand_labels.store_label(check=check, number=1, label=HandLabel.CANNOT_SAY, by=first)
    label_all(check, second, lambda text: "conceptual")
    judged("judge", right_answer)
    validity = validity_of(project)
    empirical = 5 if Annotation.objects.get(pk=int(check.texts[0][0].partition(":")[2])).payload[
        "summary"
    ].startswith("The idea") else 4  # fmt: skip
    assert validity["tied"] == empirical and validity["people"] == 2 and validity["labelled_by_several"] == 10
    assert validity["labelled"] == 10 - validity["tied"]


def test_the_note_of_f1_tells_how_often_the_judge_is_right(project, member, judged):
    judged("judge", right_answer)
    assert describe_judges([compare_runs(project, []).gold]) == "judge (revision 1), not validated by hand"
    _client, person = member(Role.RESEARCHER)
    label_all(draw(project), person)
    judges = describe_judges([compare_runs(project, []).gold])
    assert judges == ("judge (revision 1), right on 1.00 of 10 texts labelled by hand (95 % interval .72 to 1.00)")
    hand_labels.store_label(check=draw(project), number=1, label=HandLabel.CANNOT_SAY, by=person)
    assert "right on 1.00 of 9 texts" in describe_judges([compare_runs(project, []).gold])


def test_the_page_shows_a_text_and_nothing_of_judges_or_systems(project, member, judged):
    client, _person = member(Role.REVIEWER)
    judged(CANARY, right_answer)
    check = draw(project)
    url = reverse("judge-check-label", args=["papers", check.public_id])
    page = client.get(url).content.decode()
    assert "Text 1 of 10" in page and 'data-key="e"' in page and 'data-key="c"' in page and 'data-key="?"' in page
    for address in (url, reverse("judge-check", args=["papers"])):
        assert CANARY not in client.get(address).content.decode()
    text = Annotation.objects.get(pk=int(check.texts[0][0].partition(":")[2])).payload["summary"]
    assert text in page and "readability" not in page.lower()


def test_labelling_goes_on_to_the_next_text_and_ends(project, member):
    client, person = member(Role.REVIEWER)
    check = draw(project, n=2)
    url = reverse("judge-check-label", args=["papers", check.public_id])
    assert client.post(url, {"n": "1", "label": "empirical"}).status_code == 302
    assert "Text 2 of 2" in client.get(url).content.decode()
    client.post(url, {"n": "2", "label": "cannot-say"})
    assert "All texts are labelled" in client.get(url).content.decode()
    client.post(url, {"n": "1", "label": "conceptual"})
    assert sorted(HandLabel.objects.filter(by=person).values_list("label", flat=True)) == ["cannot-say", "conceptual"]
    refused = client.post(url, {"n": "1", "label": "perhaps"}, follow=True).content.decode()
    assert "Use one of: empirical, conceptual, cannot-say." in refused


def test_a_text_that_has_changed_since_is_skipped(project, member):
    client, _person = member(Role.REVIEWER)
    check = draw(project, n=2)
    Annotation.objects.filter(pk=int(check.texts[0][0].partition(":")[2])).update(payload={"summary": "", "title": ""})
    url = reverse("judge-check-label", args=["papers", check.public_id])
    assert "Text 2 of 2" in client.get(url).content.decode()
    client.post(url, {"n": "1", "label": "empirical"})
    assert not HandLabel.objects.exists()


def test_a_researcher_draws_on_the_page_and_sees_each_judge_above_the_published_row(project, member, judged):
    client, person = member(Role.RESEARCHER)
    judged("judge", right_answer)
    url = reverse("judge-check", args=["papers"])
    sent = client.post(url, {"question": "focus", "over": "references", "n": "4", "seed": "0"})
    check = JudgeCheck.objects.get()
    assert sent.status_code == 302 and str(check.public_id) in sent["Location"] and check.created_by == person
    label_all(check, person)
    page = client.get(url).content.decode()
    assert page.index("judge (revision 1)") < page.index("as printed: CCSBench, appendix B.3")
    assert "judge-accuracy|v:1|interval:wilson|invalid:0|n:4" in page and 'class="quoted"' in page
    assert ">.93" in page.replace("\n", "").replace(" ", "")
    refused = client.post(url, {"question": "focus", "over": "references", "n": "1", "seed": "0"})
    assert refused.status_code == 422


def test_a_reviewer_labels_but_neither_draws_nor_sees_judges(project, member):
    client, _person = member(Role.REVIEWER)
    url = reverse("judge-check", args=["papers"])
    assert client.get(url).status_code == 200
    assert client.post(url, {"question": "focus", "over": "references", "n": "4", "seed": "0"}).status_code == 404


def test_the_command_draws_and_prints(project, member, judged):
    out = StringIO()
    call_command("judge_check", "papers", "--draw", "4", "--json", stdout=out)
    check = JudgeCheck.objects.get()
    assert json.loads(out.getvalue()) == {"check": str(check.public_id), "texts": 4}
    label_all(check, member(Role.RESEARCHER)[1])
    judged("judge", right_answer)
    out = StringIO()
    call_command("judge_check", "papers", stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[:2] == ["4 texts labelled by hand", "  .93 as published"] and "kappa 1.00: judge" in lines[2]
    with pytest.raises(CommandError, match="over"):
        call_command("judge_check", "papers", "--draw", "4", "--over", "run:7", stdout=out)


def test_drawing_and_labelling_are_recorded_without_the_label(project):
    check = draw(project, n=2)
    draw(project, n=2)
    (person,) = make_people(1, project, Role.RESEARCHER, start=90)
    hand_labels.store_label(check=check, number=1, label="empirical", by=person)
    hand_labels.store_label(check=check, number=1, label="conceptual", by=person)
    events = AuditEvent.objects.filter(verb__startswith="judge_check.").order_by("pk")
    assert [(event.verb, event.detail.get("again")) for event in events] == [
        ("judge_check.draw", None),
        ("judge_check.label", False),
        ("judge_check.label", True),
    ]
    assert "empirical" not in json.dumps([event.detail for event in events])


def test_the_next_text_is_found_behind_many_that_have_changed(project, monkeypatch):
    monkeypatch.setattr(hand_labels, "READ_AT_ONCE", 2)
    check = draw(project, n=6)
    for origin, _hash in check.texts[:4]:
        Annotation.objects.filter(pk=int(origin.partition(":")[2])).update(payload={"summary": "Changed."})
    (person,) = make_people(1, project, Role.RESEARCHER, start=90)
    assert hand_labels.read_text(check, person).number == 5
