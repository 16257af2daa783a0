"""Runs of every role: scorers, rankers, rewriters and judges have the same rows, leases and ends as generators."""

import json

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotation.models import Annotation, Membership, Role, Sample
from annotation.services.core.errors import BadInput
from annotation.services.scores.measure_batches import SCORED_TEXTS
from epitome.systems.fakes import answer_of, echo_of, score_of
from epitome.systems.protocol import Request
from evaluation.views.rounds.forms import finished_runs
from modelbridge.models import Run, SystemOutput
from modelbridge.services.runs import outputs as run_outputs
from modelbridge.services.runs import role_results, run_worker, text_sets
from modelbridge.services.runs.system_requests import request_of
from modelbridge.services.systems import systems
from tests.bridge.conftest import count_states, fake_toml, write_into_source
from tests.bridge.phrase_set import PHRASES, Phrases

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]
QUESTION = {"question": "Is it about a bridge?", "answers": ["yes", "no"]}


@pytest.fixture
def references(project) -> dict[int, str]:
    """A human summary for every sample but the last: sample id -> text."""
    texts = {}
    for number, sample in enumerate(list(Sample.objects.order_by("pk"))[:-1]):
        texts[sample.pk] = f"The council voted, part {number}" + ("?" if number == 3 else ".")
        Annotation.objects.create(
            project=project, sample=sample, origin="import", created_at=timezone.now(),
            schema_version=sample.schema_version,
            payload={"summary": texts[sample.pk], "title": "", "relevant_segments": [], "spans": []},
        )  # fmt: skip
    return texts


@pytest.fixture
def make(project):
    def register(kind, **options):
        text = fake_toml(**options).replace('"fake"', f'"{kind}"').replace('"echo"', f'"{kind}"')
        return systems.register_system(project=project, toml_text=text, by=None)

    return register


def with_text(sample: Sample, text: str) -> Request:
    request = request_of(sample, 7)
    return Request(request.id, request.segments, request.values, request.schema, request.seed, text)


def done(run):
    return SystemOutput.objects.filter(run=run, state="done").select_related(
        "sample__document__source_text", "sample__group", "sample__schema_version"
    )


def test_a_scorer_scores_the_human_summaries_of_the_samples_that_have_one(make, start_run, work_off, references):
    run = work_off(start_run(make("fake-scorer"), over="references"))
    assert (run.state, run.n_samples, run.left_out) == ("done", 11, {"no text": 1})
    for row in done(run):
        expected = score_of(with_text(row.sample, references[row.sample_id])).as_dict()
        origin = Annotation.objects.get(sample=row.sample)
        assert row.scores == {"gold": {**expected, "of": f"annotation:{origin.pk}"}, "texts": {}}
        assert row.told and row.versions["epitome"] and row.seed is not None and row.weights == "none"
    result = role_results.summarize_scores(run)
    sums = [row.scores["gold"]["sum"] for row in done(run)]
    assert result.n == 11 and result.mean_sum == pytest.approx(sum(sums) / 11)


def test_several_texts_of_a_sample_stand_in_one_row(make, start_run, work_off, monkeypatch):
    monkeypatch.setitem(text_sets.TEXT_SETS._extensions, "phrases", Phrases("score"))
    run = work_off(start_run(make("fake-scorer"), over="phrases"))
    assert count_states(run) == {"done": 12}
    for row in done(run):
        expected = [score_of(with_text(row.sample, text)).total for text in PHRASES]
        assert row.scores["gold"]["sum"] == expected[0]
        assert [row.scores["texts"][key]["sum"] for key in ("first", "second")] == expected[1:]


def test_a_ranker_orders_the_candidates_and_so_does_a_scorer_in_one(project, make, start_run, work_off, monkeypatch):
    monkeypatch.setitem(text_sets.TEXT_SETS._extensions, "phrases", Phrases("rank"))
    toml = '[system]\nkey = "likely"\nkind = "likelihood"\n[options]\nscorer = "fake-scorer"\nby = "sum"\n'
    likely = systems.register_system(project=project, toml_text=toml, by=None)
    for revision in (make("fake-ranker"), likely):
        run = work_off(start_run(revision, over="phrases"))
        assert count_states(run) == {"done": 12}
        for row in done(run):
            scores = {text: score_of(with_text(row.sample, text)).total for text in PHRASES}
            best_first = sorted(PHRASES, key=lambda text: -scores[text])
            assert [candidate["text"] for candidate in row.candidates] == best_first
            assert [candidate["score"] for candidate in row.candidates] == [scores[text] for text in best_first]
            assert row.text == best_first[0]


def test_a_judge_answers_one_question_and_an_invalid_answer_is_kept_as_it_is(make, start_run, work_off, references):
    run = work_off(start_run(make("fake-judge"), over="references", options=QUESTION))
    for row in done(run):
        answer = answer_of(with_text(row.sample, references[row.sample_id]), QUESTION["question"], QUESTION["answers"])
        label = answer["text"] if answer["decoding"]["valid"] else ""
        assert (row.text, row.scores["label"]) == (answer["text"], label)
    counted = {row.answer: row.n for row in role_results.count_answers_of(run)}
    assert counted[""] == 1 and sum(counted.values()) == 11 and set(counted) <= {"yes", "no", ""}


def test_a_judge_sees_neither_source_nor_request_unless_it_is_told_to(make, start_run, work_off, references):
    blind = work_off(start_run(make("fake-judge"), over="references", options=QUESTION))
    assert {json.dumps(row.told) for row in done(blind)} == {"{}"}
    seeing = start_run(make("fake-judge"), over="references", options={**QUESTION, "shows_request": True})
    assert {json.dumps(row.told) for row in done(work_off(seeing))} != {"{}"}


def test_a_rewriter_works_on_the_outputs_of_another_run_and_is_not_mistaken_for_a_writer(
    project, make, echo, start_run, work_off
):
    written = work_off(start_run(echo))
    run = work_off(start_run(make("fake-rewriter"), over=f"run:{written.public_id}"))
    assert count_states(run) == {"done": 12}
    texts = dict(done(written).values_list("sample_id", "text"))
    for row in done(run):
        assert row.text == f"{echo_of(request_of(row.sample, 7))} {texts[row.sample_id].upper()}"
    sample = Sample.objects.order_by("pk")[0]
    assert {item.output.run_id for item in run_outputs.for_sample(project, sample)} == {written.pk}
    assert finished_runs(project) == [written]
    assert set(SCORED_TEXTS["output"].rows(project.pk).values_list("run", flat=True)) == {written.pk}


def test_a_text_that_fails_fails_its_row_alone(project, make, start_run, work_off, references):
    write_into_source(project, 1, "[raise]")
    run = work_off(start_run(make("fake-scorer"), over="references"))
    assert count_states(run) == {"done": 9, "failed": 2}
    failed = SystemOutput.objects.filter(run=run, state="failed")
    assert set(failed.values_list("error", flat=True)) == {"this source cannot be summarized"}


def test_a_text_that_is_gone_when_its_turn_comes_fails_with_the_reason(make, start_run, work_off, references):
    run = start_run(make("fake-scorer"), over="references")
    Annotation.objects.filter(sample__in=list(references)[:2]).delete()
    run = work_off(run)
    assert count_states(run) == {"done": 9, "failed": 2}
    assert "no text" in SystemOutput.objects.filter(run=run, state="failed")[0].error


@pytest.mark.parametrize(
    ("kind", "told", "field"),
    [
        ("fake-scorer", {}, "over"),
        ("fake-scorer", {"over": "ranking"}, "over"),
        ("fake-scorer", {"over": "run:7"}, "over"),
        ("fake-scorer", {"over": "references:x"}, "over"),
        ("fake-scorer", {"over": "references", "options": {"question": "?"}}, "question"),
        ("fake-judge", {"over": "references"}, "question"),
        ("fake-judge", {"over": "references", "options": {**QUESTION, "answers": ["yes"]}}, "answers"),
        ("fake-judge", {"over": "references", "options": {**QUESTION, "answers": ["yes", "YES"]}}, "answers"),
        ("fake-judge", {"over": "references", "options": {**QUESTION, "shows_source": 1}}, "shows_source"),
        ("fake-judge", {"over": "references", "options": {**QUESTION, "temperature": 1}}, "temperature"),
        ("fake-judge", {"over": "references", "options": {"preset": "style"}}, "preset"),
        ("fake-judge", {"over": "references", "options": {"preset": "focus", "question": "?"}}, "question"),
        ("fake", {"over": "references"}, "over"),
    ],
)
def test_what_does_not_fit_a_role_is_refused_by_name(make, start_run, references, kind, told, field):
    with pytest.raises(BadInput) as refused:
        start_run(make(kind), **told)
    assert refused.value.field == field
    assert not Run.objects.exists()


def test_a_run_over_nothing_is_refused(make, start_run):
    with pytest.raises(BadInput) as refused:
        start_run(make("fake-scorer"), over="references")
    assert refused.value.code == "nosamples" and refused.value.field == "over"


def test_a_resumed_run_keeps_its_texts_and_question(make, start_run, references):
    from modelbridge.services.runs import runs

    run = start_run(make("fake-judge", batch_size=2), over="references", options=QUESTION)
    worker = run_worker.RunWorker(run, run_worker.NoProgress())
    worker.work_batch()
    runs.cancel_run(run=run, by=None)
    runs.resume_run(run=run, by=None, queue_it=False)
    run_worker.work_in_process(run)
    run.refresh_from_db()
    assert run.state == "done" and count_states(run) == {"done": 11}


def test_the_command_runs_a_judge_and_goes_on_with_the_same_question(project, make, references, capsys):
    make("fake-judge")
    items = ["run_system", "fake-judge", "news", "--over", "references", "--json", "--question", QUESTION["question"]]
    call_command(*items, "--answer", "yes", "--answer", "no")
    first = json.loads(capsys.readouterr().out)
    assert first["done"] == 11
    Run.objects.update(state="cancelled")
    call_command(*items, "--answer", "yes", "--answer", "no")
    assert json.loads(capsys.readouterr().out)["run"] == first["run"]


def test_the_page_of_a_system_offers_what_fits_its_role(project, make, echo, start_run, work_off, references):
    written = work_off(start_run(echo))
    user = User.objects.create_user("researcher", password="x")
    Membership.objects.create(project=project, user=user, role=Role.RESEARCHER)
    client = Client()
    client.force_login(user)
    judge = make("fake-judge")
    url = f"/p/news/systems/{judge.system.public_id}/"
    page = client.get(url).content.decode()
    assert f'value="run:{written.public_id}"' in page and 'name="question"' in page
    fields = {"over": "references", "question": QUESTION["question"], "answers": "yes\n\nno\n", "seed": "0"}
    sent = client.post(url, fields)
    run = Run.objects.order_by("-pk")[0]
    assert sent.status_code == 302 and run.options["answers"] == ["yes", "no"]
    work_off(run)
    text = client.get(sent["Location"]).content.decode()
    assert "invalid" in text and "Is it about a bridge?" in text
    refused = client.post(url, {**fields, "answers": "yes"})
    assert refused.status_code == 422 and "two at least" in refused.content.decode()


def test_a_published_question_is_stored_with_its_words(make, start_run, references):
    run = start_run(make("fake-judge"), over="references", options={"preset": "focus"})
    assert run.options["answers"] == ["empirical", "conceptual"] and "statistics and data" in run.options["question"]
    assert not run.options["shows_source"]
