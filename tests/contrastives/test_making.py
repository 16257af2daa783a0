"""Making the examples of a project: which golds, resuming, options, and what is counted."""

import pytest
from django.utils import timezone

from annotation.jobs import run_job
from annotation.models import (
    Annotation,
    Assignment,
    AuditEvent,
    Contrastive,
    ContrastiveSet,
    Job,
    JobState,
    Sample,
    SourceDocument,
)
from annotation.services.contrastives import maker_processes, making, sets, tuple_maker
from annotation.services.contrastives.example import add_example_set
from annotation.services.contrastives.golds import draw_golds, list_golds
from annotation.services.contrastives.set_options import SetOptions
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.tasks import claim, submit
from epitome.contrastives import Edit, apply_edits, undo_edits
from modelbridge.models import Run
from tests.api.world import work_off
from tests.contrastives.factories import make_gold_project, source_texts, store_contrastives
from tests.rounds.factories import make_run
from tests.tasks.factories import make_people, make_project, payload

pytestmark = pytest.mark.django_db


def make(project, replace=False, **options):
    return making.make_contrastives(project=project, options=SetOptions(**options), replace=replace)


def list_rows(project):
    return list(Contrastive.objects.filter(project=project).order_by("pk").values_list("annotation", "rule", "text"))


def test_every_example_is_its_gold_with_its_edits_and_tells_where_the_word_came_from():
    project = make_gold_project()
    counts = make(project)
    rows = Contrastive.objects.filter(project=project).select_related("annotation")
    texts = source_texts(project)
    assert counts == {"golds": 3, "examples": len(rows), "empty": 1, "all_golds": 3, "all_examples": len(rows)}
    assert {row.rule for row in rows} >= {"G-N", "G-V", "S-N", "S-P", "S-V", "S-A"}
    for row in rows:
        gold = row.annotation.payload["summary"]
        edits = [Edit(**edit) for edit in row.edits]
        assert apply_edits(gold, edits) == row.text and undo_edits(row.text, edits) == gold
        assert (row.seed, row.generator) == (496, "contrastives@1")
        if row.rule.startswith("S"):
            origin = row.from_source
            word = texts[origin["segment"]][origin["start"] : origin["end"]]
            assert word.lower() == edits[0].now.lower()
    assert not rows.filter(annotation__payload__summary="Robbery").exists()


def test_the_same_seed_gives_the_same_rows_in_another_project_and_another_seed_others():
    projects = [make_gold_project(slug) for slug in ("one", "two", "three")]
    SourceDocument.objects.update(external_id="same")
    for project, seed in zip(projects, (7, 7, 8), strict=True):
        make(project, seed=seed, per_gold=12)
    first, second, third = ([row[1:] for row in list_rows(project)] for project in projects)
    assert first == second != third


def test_the_same_options_again_add_nothing_but_golds_that_came_since():
    project = make_gold_project()
    make(project)
    rows_before = list_rows(project)
    assert make(project)["golds"] == 0 and list_rows(project) == rows_before
    gold = Annotation.objects.filter(project=project).latest("pk")
    Annotation.objects.filter(pk=gold.pk).update(payload={"summary": "Angry thieves praised two judges."})
    ContrastiveSet.objects.update(empty_golds=[])
    counts = make(project)
    assert (counts["golds"], counts["empty"]) == (1, 0) and list_rows(project)[: len(rows_before)] == rows_before
    current = sets.find_current_set(project)
    assert current.finished_at is not None and current.examples == len(list_rows(project))


def test_other_options_are_refused_or_replace_the_set():
    project = make_gold_project()
    make(project)
    rows_before = list_rows(project)
    with pytest.raises(Conflict, match="made otherwise"):
        make(project, per_gold=10)
    assert list_rows(project) == rows_before
    make(project, replace=True, per_gold=10)
    assert 0 < len(list_rows(project)) < len(rows_before)
    old, new = sets.list_sets(project)[::-1]
    assert old.replaced_at is not None and new.replaced_at is None and new.options["per_gold"] == 10
    verbs = AuditEvent.objects.filter(project=project).order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["contrastives.make", "contrastives.replace", "contrastives.make"]


def test_examples_in_use_are_not_replaced():
    project = make_gold_project()
    store_contrastives(project)

    def describe_use(_project):
        return "The run x scored them."

    sets.CONTRASTIVE_USES.register(describe_use)
    try:
        with pytest.raises(Conflict, match="The run x"):
            make(project, replace=True)
    finally:
        sets.CONTRASTIVE_USES._extensions.popitem()
    assert Contrastive.objects.filter(project=project, generator="import").count() == 6


def test_an_interrupted_run_is_continued_with_whole_tuples(monkeypatch):
    project, gold_project = make_gold_project(), make_gold_project("whole")
    SourceDocument.objects.update(external_id="same")
    monkeypatch.setattr(tuple_maker, "BATCH", 1)

    class Stopped(Exception):
        pass

    class StopAfterFirst(making.NoProgress):
        n_checks = 0

        def check(self):
            self.n_checks += 1
            if self.n_checks > 1:
                raise Stopped

    with pytest.raises(Stopped):
        making.make_contrastives(project=project, progress=StopAfterFirst())
    current = sets.find_current_set(project)
    assert current.golds == 1 and sets.is_under_way(current)
    make(project), make(gold_project)
    current, other = sets.find_current_set(project), sets.find_current_set(gold_project)
    assert [row[1:] for row in list_rows(project)] == [row[1:] for row in list_rows(gold_project)]
    assert (current.counts, current.golds, current.examples) == (other.counts, other.golds, other.examples)
    assert not sets.is_under_way(current)


def test_a_job_makes_them_and_refuses_with_the_reason():
    project = make_gold_project()
    (person,) = make_people(1, project)
    job = making.start_making(project=project, options=SetOptions(per_gold=4), by=person)
    work_off(job)
    assert job.state == JobState.DONE and job.result["golds"] == 3
    assert sets.find_current_set(project).made_by == person
    with pytest.raises(Conflict, match="made otherwise"):
        making.start_making(project=project, options=SetOptions(per_gold=5), by=person)
    ContrastiveSet.objects.update(generator="contrastives@0")
    job = making.start_making(project=project, options=SetOptions(per_gold=4), by=person)
    work_off(job)
    assert job.state == JobState.FAILED and "earlier version" in job.error


def test_golds_are_references_and_accepted_summaries_that_still_stand():
    project = make_gold_project()
    (person,) = make_people(1, project)
    task = claim.claim_next(project=project, annotator=person).assignment
    submit.submit_task(assignment=task, payload=payload(summary="Men ran."), idempotency_key="k")
    written = Annotation.objects.get(assignment=task)
    references = Annotation.objects.filter(project=project, assignment=None).order_by("pk")
    void, restored = references.exclude(sample=task.sample)
    value = references.get(sample=task.sample)
    Sample.objects.filter(pk=void.sample_id).update(state="void")
    assert {gold.annotation_id for gold in list_golds(project)} == {value.pk, restored.pk}
    Assignment.objects.update(state="accepted")
    assert {gold.annotation_id for gold in list_golds(project)} == {value.pk, restored.pk, written.pk}
    Annotation.objects.filter(pk=restored.pk).update(origin="restored", raw_json='{"state": "rejected"}')
    SourceDocument.objects.filter(project=project).update(split="test")
    golds = list(list_golds(project, split="test"))
    assert {gold.annotation_id for gold in golds} == {value.pk, written.pk}
    assert {gold.sample_key for gold in golds} == {f"news-0#{task.sample.position}"}


def test_examples_of_a_void_sample_do_not_count_while_it_is_void():
    project = make_gold_project()
    store_contrastives(project)
    sample = Sample.objects.filter(project=project).first()
    Sample.objects.filter(pk=sample.pk).update(state="void")
    assert Contrastive.objects.active().filter(project=project).count() == 4
    Sample.objects.filter(pk=sample.pk).update(state="active")
    assert Contrastive.objects.active().filter(project=project).count() == 6


def test_n_golds_are_drawn_by_the_seed_and_more_golds_displace_few():
    project = make_gold_project(golds=tuple(f"Men saw {n} dogs." for n in range(30)))
    drawn = [gold.key for gold in draw_golds(project, split="", n=10, seed=1)]
    assert len(drawn) == 10 and drawn == [gold.key for gold in draw_golds(project, split="", n=10, seed=1)]
    assert drawn != [gold.key for gold in draw_golds(project, split="", n=10, seed=2)]
    assert make(project, n=4, per_gold=4)["golds"] == 4
    assert make(project, n=4, per_gold=4)["golds"] == 0


def test_a_split_selects_its_sources():
    project = make_gold_project()
    with pytest.raises(BadInput, match="split"):
        make(project, split="test")
    SourceDocument.objects.filter(project=project).update(split="test")
    assert make(project, split="test", per_gold=2)["golds"] == 3


@pytest.mark.parametrize(
    ("options", "field"),
    [({"per_gold": 0}, "per_gold"), ({"n": 0}, "n"), ({"seed": -1}, "seed"), ({"rules": ("X-Y",)}, "rules")],
)
def test_options_out_of_range_are_refused(options, field):
    with pytest.raises(BadInput) as caught:
        make(make_gold_project(), **options)
    assert caught.value.field == field


def test_projects_without_golds_or_summaries_are_refused():
    with pytest.raises(BadInput, match="no gold summary"):
        make(make_project(frozen=True))
    with pytest.raises(BadInput, match=r"English summaries only.*de"):
        make(make_gold_project("german", language="de"))
    other = make_gold_project("other", kind="choosing")
    with pytest.raises(BadInput, match="made from summaries"):
        make(other)


def test_shares_are_estimated_from_the_projects_own_golds_and_kept():
    project = make_gold_project()
    make(project, estimate=2)
    current = sets.find_current_set(project)
    shares = current.options["shares"]
    assert sum(shares["gold"].values()) == pytest.approx(1, abs=1e-3) and shares["gold"]["N"] != 0.69
    assert make(project, estimate=2)["golds"] == 0


def test_rules_can_be_chosen_and_words_inflected():
    project = make_gold_project(golds=("A judge praised two officers.",))
    make(project, rules=("G-N", "S-N"))
    plain = [text for _gold, rule, text in list_rows(project) if rule == "G-N"]
    assert {rule for _gold, rule, _text in list_rows(project)} == {"G-N", "S-N"}
    assert plain == ["A officers praised two judge."]
    make(project, replace=True, rules=("G-N",), inflect=True)
    assert [text for *_rest, text in list_rows(project)] == ["A officer praised two judges."]


def test_a_dry_run_tells_what_would_come_and_stores_nothing():
    project = make_gold_project()
    plan = making.plan_contrastives(project=project, options=SetOptions()).as_dict()
    assert (plan["golds"], plan["drawn"], plan["remaining"], plan["tried"]) == (3, 3, 3, 3)
    assert plan["quotas"] == {"G-N": 16, "G-P": 2, "G-V": 5, "G-A": 2, "S-N": 15, "S-P": 2, "S-V": 5, "S-A": 3}
    assert not Contrastive.objects.exists() and not ContrastiveSet.objects.exists()
    result = make(project)
    assert plan["expected"] == result["examples"]


@pytest.mark.slow  # a process loads the parser
def test_processes_beside_this_one_give_the_same_rows(monkeypatch):
    here, there = make_gold_project("here"), make_gold_project("there")
    SourceDocument.objects.update(external_id="same")
    make(here, per_gold=6)
    monkeypatch.setattr(maker_processes, "PROCESSES_FROM", 1)
    monkeypatch.setattr(maker_processes, "PROCESSES", 1)
    monkeypatch.setattr(tuple_maker, "BATCH", 2)
    make(there, per_gold=6)
    assert [row[1:] for row in list_rows(here)] == [row[1:] for row in list_rows(there)]


def test_a_process_that_ends_early_is_an_error_that_says_so():
    process = maker_processes.MakerProcess()
    process._process.kill()
    gold = next(list_golds(make_gold_project()))
    request = tuple_maker.build_request([gold], SetOptions(), {})
    try:
        with pytest.raises(maker_processes.MakerBroke, match="start again"):
            process.make(request)
    finally:
        process.close()


def test_an_example_project_gets_a_small_set_once():
    project = make_gold_project()
    example_set = add_example_set(project)
    assert (
        example_set == add_example_set(project) and example_set.options["per_gold"] == 12 and example_set.examples > 10
    )


def test_a_run_over_the_examples_keeps_them_from_being_replaced():
    project = make_gold_project()
    store_contrastives(project)
    run = make_run(project, "scorer")
    Run.objects.filter(pk=run.pk).update(over="contrastives")
    with pytest.raises(Conflict, match="scorer"):
        make(project, replace=True)
    Run.objects.filter(pk=run.pk).update(state="cancelled")
    assert make(project, replace=True)["golds"] == 3


def test_a_job_that_another_worker_takes_up_counts_what_the_first_one_made(monkeypatch):
    project = make_gold_project()
    job = making.start_making(project=project, options=SetOptions(), by=make_people(1, project)[0])
    with monkeypatch.context() as patched:
        patched.setattr("annotation.jobs.running.close_old_connections", lambda: None)
        patched.setattr(making, "_finish_set", die)
        with pytest.raises(KeyboardInterrupt):
            run_job(job.pk)
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now())
    work_off(job)
    n_examples = Contrastive.objects.filter(project=project).count()
    event = AuditEvent.objects.get(project=project, verb="contrastives.make")
    assert n_examples > 0 and job.result["examples"] == n_examples == event.detail["examples"]


def die(*_arguments):
    raise KeyboardInterrupt
