"""Runs of scorers over contrastive examples: one row per sample holds its golds and their active examples."""

import pytest

from annotation.models import Contrastive, Sample
from annotation.services.core.errors import BadInput
from epitome.systems.fakes import score_of
from epitome.systems.protocol import Request
from modelbridge.models import SystemOutput
from modelbridge.services.runs import role_results, run_worker, runs
from modelbridge.services.runs.system_requests import request_of
from modelbridge.services.runs.text_sets import list_choices
from modelbridge.services.systems import systems
from tests.bridge.conftest import count_states, fake_toml
from tests.contrastive_report.factories import add_gold

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]


@pytest.fixture
def scorer(project):
    text = fake_toml().replace('"fake"', '"fake-scorer"')
    return systems.register_system(project=project, toml_text=text, by=None)


@pytest.fixture
def golds(project):
    """A gold with three examples for every sample but the last; the first sample has a second gold with one."""
    samples = list(Sample.objects.order_by("pk"))
    results = [
        add_gold(sample, f"The council voted, part {number}.", {
            "G-N": [f"The part voted, council {number}.", f"Council the voted, part {number}."],
            "S-V": [f"The council met, part {number}."],
        })
        for number, sample in enumerate(samples[:-1])
    ]  # fmt: skip
    return [*results, add_gold(samples[0], "They said yes.", {"S-A": ["They said no."]})]


def expected_sum(sample, text):
    request = request_of(sample, 7)
    return score_of(Request(request.id, request.segments, request.values, request.schema, request.seed, text)).total


def rows_of(run):
    return SystemOutput.objects.filter(run=run).select_related(
        "sample__document__source_text", "sample__group", "sample__schema_version"
    )


def test_a_row_holds_every_gold_of_its_sample_with_its_own_examples(scorer, start_run, work_off, golds):
    run = work_off(start_run(scorer, over="contrastives"))
    assert (run.state, run.n_samples, run.left_out) == ("done", 11, {"no text": 1})
    for row in rows_of(run):
        of_sample = [gold for gold in golds if gold.sample_id == row.sample_id]
        assert row.scores["gold"]["of"] == f"annotation:{of_sample[0].pk}"
        assert row.scores["gold"]["sum"] == expected_sum(row.sample, of_sample[0].payload["summary"])
        examples = Contrastive.objects.filter(sample=row.sample_id)
        further = {f"annotation:{gold.pk}": gold.payload["summary"] for gold in of_sample[1:]}
        assert set(row.scores["texts"]) == {str(example.public_id) for example in examples} | set(further)
        for example in examples:
            scored = row.scores["texts"][str(example.public_id)]
            assert scored["of"] == f"contrastive:{example.pk}"
            assert scored["sum"] == expected_sum(row.sample, example.text)
        for key, text in further.items():
            assert row.scores["texts"][key]["sum"] == expected_sum(row.sample, text)


def test_excluded_examples_are_not_scored(scorer, start_run, work_off, golds):
    excluded = Contrastive.objects.filter(annotation=golds[0]).order_by("pk")[0]
    Contrastive.objects.filter(pk=excluded.pk).update(state="excluded")
    Contrastive.objects.filter(annotation=golds[1]).update(state="excluded")
    run = work_off(start_run(scorer, over="contrastives"))
    assert (run.n_samples, run.left_out) == (10, {"no text": 2})
    texts = run.outputs.get(sample=golds[0].sample_id).scores["texts"]
    assert str(excluded.public_id) not in texts and len(texts) == 4  # two examples, the second gold and its own


def test_the_first_batch_is_one_row_until_it_is_known_how_many_texts_it_has(scorer, start_run, golds):
    run = start_run(scorer, over="contrastives")
    worker = run_worker.RunWorker(run, run_worker.NoProgress())
    assert worker.work_batch() == 1
    assert worker.work_batch() == 1  # 8 requests at once: one row of 6 texts
    run_worker.work_in_process(run)
    assert count_states(run) == {"done": 11}


def test_a_project_without_examples_is_offered_no_such_run(project, scorer, start_run):
    assert "contrastives" not in dict(list_choices(project, "score"))
    with pytest.raises(BadInput) as refused:
        start_run(scorer, over="contrastives")
    assert (refused.value.field, refused.value.code) == ("over", "nosamples")
    add_gold(Sample.objects.order_by("pk")[0], "Gold.", {"G-N": ["Silver."]})
    assert "contrastives" in dict(list_choices(project, "score"))
    assert "contrastives" not in dict(list_choices(project, "judge"))
    with pytest.raises(BadInput, match="takes no name"):
        start_run(scorer, over="contrastives:x")


def test_a_list_shows_the_first_scores_of_a_row(scorer, start_run, work_off, project):
    sample = Sample.objects.order_by("pk")[0]
    add_gold(sample, "Gold.", {"G-N": [f"Silver {number}." for number in range(20)]})
    run = work_off(start_run(scorer, over="contrastives"))
    result = role_results.describe_result(run, run.outputs.get())
    assert result.endswith("…") and result.count(",") == role_results.SCORES_SHOWN


def test_a_stopped_run_goes_on(scorer, start_run, golds):
    run = start_run(scorer, over="contrastives")
    run_worker.RunWorker(run, run_worker.NoProgress()).work_batch()
    runs.cancel_run(run=run, by=None)
    runs.resume_run(run=run, by=None, queue_it=False)
    run_worker.work_in_process(run)
    run.refresh_from_db()
    assert run.state == "done" and count_states(run) == {"done": 11}
