"""Every stored summary gets its scores: once, whole batches or nothing, again when the definition changes."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation import jobs
from annotation.models import Annotation, Job, JobState, Project, Score, SourceDocument
from annotation.services.core.errors import BadInput
from annotation.services.people.projects import create_project, new_schema_version
from annotation.services.scores import measure_batches, score_jobs, score_queries, token_counts
from annotation.services.sources.importing import import_file
from epitome.formats.options import ImportOptions
from epitome.measures import NoTagger
from epitome.schema import preset_text
from tests.export import factories as make

pytestmark = pytest.mark.django_db
SUMMARY = "The council voted. Work begins in May 2026."


@pytest.fixture
def project(tmp_path, django_user_model):
    result = make.news(tmp_path, n=2)
    ann = make.make_person(result, "annotator1", django_user_model)
    make.write_one(result, ann, SUMMARY)
    make.write_one(result, ann, "voting on the bridge")
    result.ann = ann
    return result


def values(project):
    """summary -> measure -> value or reason"""
    result = score_queries.latest_scores(project)
    texts = dict(Annotation.objects.filter(project=project).values_list("pk", "payload__summary"))
    return {
        texts[pk]: {key: first.value if first.value is not None else first.undefined for key, first in row.items()}
        for pk, row in result.items()
    }


@pytest.mark.db_engine
def test_every_summary_has_a_score_of_each_measure_of_its_schema(project, fake_tagger):
    counts = score_jobs.score_project(project=project)
    assert (counts["annotations"], counts["scores"], counts["undefined"]) == (2, 8, 2)
    entries = values(project)
    # By hand: 10 tokens with two full stops. Left without stop words and lower-cased: council voted . work begins
    # may 2026 . = 8 in two sentences, one of them a numeral, no -ing, seven "nouns": (.2*8 + .3*7 + .4*1) / 2.
    assert entries[SUMMARY]["length"] == 10
    assert entries[SUMMARY]["specificity"] == pytest.approx((0.2 * 8 + 0.3 * 7 + 0.4) / 2)
    assert entries[SUMMARY]["topic"] == "no topic requested"
    # The source: "Report 0. The council met on Monday. It voted on the bridge. The vote was close. Work begins in
    # May." Full stops out, bigrams of the summary: The council, council voted, voted Work, Work begins, begins in,
    # in May, May 2026 - four of seven stand there; trigrams: Work begins in, begins in May - two of six.
    assert entries[SUMMARY]["extractiveness"] == pytest.approx((4 / 7 + 2 / 6) / 2)


@pytest.mark.db_engine
def test_a_second_run_adds_and_measures_nothing(project, fake_tagger):
    score_jobs.score_project(project=project)
    scores_before = list(Score.objects.order_by("pk").values())
    fake_tagger.texts = 0
    assert score_jobs.score_project(project=project)["scores"] == 0
    assert list(Score.objects.order_by("pk").values()) == scores_before
    assert fake_tagger.texts == 0


@pytest.mark.db_engine
def test_a_half_finished_run_is_completed(project, fake_tagger):
    score_jobs.score_project(project=project)
    Score.objects.filter(measure__in=["topic", "length"]).first().delete()
    assert score_jobs.score_project(project=project)["scores"] == 1
    assert Score.objects.count() == 8


def test_another_tagger_makes_new_rows_and_the_latest_are_shown(project, fake_tagger, monkeypatch):
    score_jobs.score_project(project=project)
    old = dict(Score.objects.filter(measure="specificity").values_list("target_id", "value"))
    monkeypatch.setattr(fake_tagger, "id", "fake@2")
    monkeypatch.setattr(fake_tagger, "tag", lambda batch: [["CD"] * len(words) for words in batch])
    counts = score_jobs.score_project(project=project)
    assert counts["scores"] == 2  # only what the tagger changes
    assert Score.objects.filter(measure="specificity").count() == 4
    by_key = {pk: row["specificity"] for pk, row in score_queries.latest_scores(project).items()}
    for pk, score in by_key.items():
        assert "fake@2" in score.signature
        assert score.value > old[pk]
    monkeypatch.setattr(fake_tagger, "id", "fake@1")  # and back: nothing to measure, the first rows count again
    assert score_jobs.score_project(project=project)["scores"] == 0
    assert {pk: row["specificity"].value for pk, row in score_queries.latest_scores(project).items()} == old


def test_references_and_restored_summaries_are_measured_too(project, tmp_path, fake_tagger):
    path = make.export(project, tmp_path)
    other = create_project(slug="copy", schema="macsum-doc")
    make.import_project_file(other, path)
    score_jobs.score_project(project=other)
    score_jobs.score_project(project=project)
    assert values(other) == values(project)
    assert set(Annotation.objects.filter(project=other).values_list("origin", flat=True)) == {"restored"}


MACSUM = [
    {
        "metadata": {"dataset": "qmsum", "split": "val", "file_id": 7, "turns": [0, 2]},
        "source": ["Ann : We need 3 bridges .", "Bo : The budget is gone .", "Ann : Then we wait ."],
        "references": [
            {
                "control_attribute": {
                    "length": "short", "extractiveness": "fully", "specificity": "normal",
                    "topic": "bridges , money", "speaker": "Bo",
                },
                "summary": "The budget is gone .", "title": "Budget", "relevant_turns": [1],
            },
            {
                "control_attribute": {
                    "length": "short", "extractiveness": "normal", "specificity": "normal", "topic": "", "speaker": "",
                },
                "summary": "", "title": "Nothing", "relevant_turns": [],
            },
        ],
    }
]  # fmt: skip


def test_a_meeting_is_measured_with_its_topics_and_speakers(tmp_path, fake_tagger):
    project = create_project(slug="meetings", schema="macsum-dial")
    file = tmp_path / "val.json"
    file.write_text(json.dumps(MACSUM))
    options = ImportOptions(format="macsum", with_references=True)
    import_file(project=project, path=file, file_name="val.json", options=options)
    score_jobs.score_project(project=project)
    entries = values(project)
    # "budget" and "gone" are left of the summary without stop words; Bo said both.
    assert entries["The budget is gone ."] == {
        "length": 5,
        "extractiveness": 1,
        "specificity": pytest.approx(0.2 * 3 + 0.3 * 3),
        "topic": 0,  # neither "bridges" nor "money" stands in it
        "speaker": 1,
    }
    assert entries[""] == {
        "length": 0,
        "extractiveness": 0,
        "specificity": 0,
        "topic": "no topic requested",
        "speaker": "no speaker requested",
    }


def test_each_version_of_a_schema_is_measured_by_its_own(project, fake_tagger):
    text = preset_text("macsum-doc").replace('measure = "extractiveness"', 'measure = "readability"')
    new_schema_version(project=project, text=text, by=None)
    project = Project.objects.get(pk=project.pk)
    make.add_samples(SourceDocument.objects.filter(project=project)[0], n=1)
    Annotation.objects.filter(payload__summary=SUMMARY).update(schema_version=project.schema_version)
    score_jobs.score_project(project=project)
    by_key = {text: set(row) for text, row in values(project).items()}
    assert by_key[SUMMARY] == {"length", "readability", "specificity", "topic"}
    assert by_key["voting on the bridge"] == {"length", "extractiveness", "specificity", "topic"}


def test_a_measure_nobody_knows_is_left_out(project, fake_tagger):
    text = preset_text("macsum-doc").replace('measure = "topic"', 'measure = "mood"')
    new_schema_version(project=project, text=text, by=None)
    project = Project.objects.get(pk=project.pk)
    assert score_queries.measured_keys(project.schema_version.schema) == ["length", "extractiveness", "specificity"]
    Annotation.objects.update(schema_version=project.schema_version)
    assert score_jobs.score_project(project=project)["scores"] == 6


def test_queries_grow_with_the_batches_only(tmp_path, django_user_model, fake_tagger, monkeypatch):
    monkeypatch.setattr(score_jobs, "BATCH", 6)
    spent = []
    for slug, sources in (("few", 1), ("many", 3)):
        project = make.news(tmp_path, slug=slug, n=sources)
        ann = make.make_person(project, f"a-{slug}", django_user_model)
        for _number in range(2 * sources):
            make.write_one(project, ann)
        score_queries.signatures_now(project)
        with CaptureQueriesContext(connection) as seen:
            assert score_jobs.score_project(project=project)["annotations"] == 2 * sources
        spent.append(len(seen))
    assert spent[0] == spent[1]


def test_a_broken_tagger_setting_is_a_readable_refusal_and_stores_nothing(project, settings, work_off):
    settings.EPITOME_SPACY_PIPELINE = "no_such_pipeline"
    job = work_off(score_jobs.start_scoring(project=project, by=None))
    assert job.state == JobState.FAILED
    assert "EPITOME_SPACY_PIPELINE='no_such_pipeline'" in job.error
    assert "Install it" in job.error
    assert not Score.objects.exists()


def test_a_pipeline_without_a_tagger_is_refused_in_words(project, monkeypatch, work_off):
    def none(_name):
        raise NoTagger("the spaCy pipeline xx@1 has no tagger, so specificity cannot be measured with it")

    monkeypatch.setattr(measure_batches, "spacy_tagger", none)
    job = work_off(score_jobs.start_scoring(project=project, by=None))
    assert (job.state, "has no tagger" in job.error, Score.objects.count()) == (JobState.FAILED, True, 0)


@pytest.mark.db_engine
def test_a_measure_that_breaks_leaves_whole_batches_only(project, fake_tagger, monkeypatch, work_off):
    monkeypatch.setattr(score_jobs, "BATCH", 1)
    good = fake_tagger.tag

    def breaks(batch):
        if fake_tagger.texts:
            raise RuntimeError("the weights are damaged")
        return good(batch)

    monkeypatch.setattr(fake_tagger, "tag", breaks)
    job = work_off(score_jobs.start_scoring(project=project, by=None))
    assert (job.state, job.error) == (JobState.QUEUED, "RuntimeError: the weights are damaged")
    assert Score.objects.count() == 4  # the first summary's, all of them
    assert Score.objects.values("target_id").distinct().count() == 1
    monkeypatch.setattr(fake_tagger, "tag", good)
    work_off(job)
    assert (job.state, job.result["annotations"], Score.objects.count()) == (JobState.DONE, 1, 8)


@pytest.mark.db_engine
def test_a_run_that_lost_its_job_stores_nothing_more(project, fake_tagger, work_off, monkeypatch):
    job = score_jobs.start_scoring(project=project, by=None)
    monkeypatch.setattr(jobs.JobProgress, "check", lambda self: (_ for _ in ()).throw(jobs.JobLost()))
    work_off(job)
    assert not Score.objects.exists()


@pytest.mark.db_engine
def test_scoring_gives_way_to_an_import_after_every_batch_and_measures_all_once(
    project, fake_tagger, work_off, monkeypatch
):
    monkeypatch.setattr(score_jobs, "BATCH", 1)
    monkeypatch.setattr(token_counts, "TOKEN_BATCH", 1)
    waiting = jobs.create_job(kind="import", project=project, by=None)
    job = jobs.create_job(kind="score", project=project, by=None)
    items = []
    while job.state != JobState.DONE:
        job = work_off(job, queues=["default", "text"])
        items.append((job.state, job.attempts, job.progress_done, Score.objects.count()))
        if len(items) == 3:
            Job.objects.filter(pk=waiting.pk).delete()

    assert items == [("queued", 0, 1, 4), ("queued", 0, 2, 8), ("queued", 0, 3, 8), ("done", 1, 4, 8)]
    counts = {name: job.result[name] for name in ("annotations", "scores", "undefined", "sources")}
    assert counts == {"annotations": 2, "scores": 8, "undefined": 2, "sources": 2}
    assert job.result["signatures"]["1"].keys() == {"length", "extractiveness", "specificity", "topic"}


def test_the_sweeper_finds_what_was_written_since(project, fake_tagger, work_off):
    assert score_jobs.start_missing_scoring() == 1
    first = Job.objects.get(kind="score")
    assert (first.queue, first.requested_by, first.project) == ("text", None, project)
    score_jobs.start_missing_scoring()
    assert Job.objects.filter(kind="score").count() == 1  # the same one waits
    work_off(first)
    assert score_jobs.start_missing_scoring() == 0
    make.write_one(project, project.ann, "later")
    assert score_jobs.start_missing_scoring() == 1
    second = Job.objects.get(kind="score")  # the finished one of the sweeper is cleared away
    work_off(second)
    assert "later" in values(project)
    assert score_jobs.start_missing_scoring() == 0


def test_the_sweeper_sees_what_becomes_visible_out_of_order(project, fake_tagger, work_off):
    old = Annotation.objects.order_by("pk")[0]
    score_jobs.score_project(project=project)
    assert score_jobs.start_missing_scoring() == 0
    Score.objects.filter(target_id=old.pk).delete()  # as if an earlier id were committed only now
    assert score_jobs.start_missing_scoring() == 1


def test_the_sweeper_asks_little_once_all_is_measured(project, fake_tagger, django_assert_max_num_queries):
    score_jobs.score_project(project=project)
    score_jobs.start_missing_scoring()
    with django_assert_max_num_queries(4):
        assert score_jobs.start_missing_scoring() == 0


def test_a_new_definition_starts_the_sweeper_again(project, fake_tagger, monkeypatch):
    score_jobs.score_project(project=project)
    assert score_jobs.start_missing_scoring() == 0
    monkeypatch.setattr(fake_tagger, "id", "fake@2")
    assert score_jobs.start_missing_scoring() == 1


def test_scores_of_an_earlier_version_of_a_measure_are_measured_anew(project, fake_tagger, work_off):
    score_jobs.score_project(project=project)
    now = score_queries.current_signatures(project, project.schema_version.schema)["extractiveness"]
    earlier = now.replace("|v:4|", "|v:3|")
    stored = Score.objects.filter(measure="extractiveness")
    assert stored.update(signature=earlier, value=0.99) == 2
    assert [row["extractiveness"] for row in values(project).values()] == [0.99, 0.99]  # until they are measured anew
    assert score_jobs.start_missing_scoring() == 1
    job = work_off(Job.objects.get(kind="score"))
    assert (job.result["scores"], stored.filter(signature=earlier).count()) == (2, 2)
    assert values(project)[SUMMARY]["extractiveness"] == pytest.approx((4 / 7 + 2 / 6) / 2)
    assert score_jobs.start_missing_scoring() == 0


def test_the_sweeper_does_not_repeat_a_refusal_every_minute(project, settings, work_off):
    settings.EPITOME_SPACY_PIPELINE = "no_such_pipeline"
    assert score_jobs.start_missing_scoring() == 1
    work_off(Job.objects.get(kind="score"))
    assert score_jobs.start_missing_scoring() == 0
    Job.objects.update(finished_at=timezone.now() - score_jobs.TRY_AGAIN)
    assert score_jobs.start_missing_scoring() == 1


def test_projects_without_summaries_and_archived_ones_are_left_alone(project, fake_tagger):
    create_project(slug="empty", schema="macsum-doc")
    Project.objects.filter(pk=project.pk).update(archived_at=timezone.now())
    assert score_jobs.start_missing_scoring() == 0


def test_an_import_with_references_asks_for_scores_at_once(tmp_path):
    project = create_project(slug="meetings", schema="macsum-dial")
    file = tmp_path / "val.json"
    file.write_text(json.dumps(MACSUM))
    import_file(
        project=project, path=file, file_name="val.json", options=ImportOptions(format="macsum", with_references=True)
    )
    assert set(Job.objects.values_list("kind", flat=True)) == {"count_tokens", "score"}


def test_the_command_measures_here_and_prints_what_it_did(project, fake_tagger, capsys):
    call_command("score", "news", "--json")
    out = capsys.readouterr()
    data = json.loads(out.out)
    assert (data["project"], data["annotations"], data["scores"], data["undefined"]) == ("news", 2, 8, 2)
    assert set(data["signatures"]["1"]) == {"length", "extractiveness", "specificity", "topic"}
    assert (data["sources"], data["tokens"] > 0) == (2, True)
    assert "Scoring news: 2 of 2" in out.err
    assert not Job.objects.filter(kind="score").exists()
    call_command("score", "news")
    assert capsys.readouterr().out.startswith("0 scores of 0 summaries")


def test_the_command_refuses_in_one_line(project, settings):
    with pytest.raises(CommandError, match="no project 'nowhere'"):
        call_command("score", "nowhere")
    settings.EPITOME_SPACY_PIPELINE = "no_such_pipeline"
    with pytest.raises(CommandError, match="tagger: EPITOME_SPACY_PIPELINE") as refused:
        call_command("score", "news")
    assert refused.value.returncode == 1
    with pytest.raises(BadInput):
        score_jobs.score_project(project=project)


def test_the_signature_read_from_files_is_the_loaded_taggers():
    from epitome.measures import spacy_tagger

    assert score_queries.tagger_id() == spacy_tagger().id


def test_a_score_is_a_number_or_a_reason(project):
    from django.db import IntegrityError, transaction

    for value, undefined in ((None, ""), (1.0, "why")):
        with pytest.raises(IntegrityError), transaction.atomic():
            Score.objects.create(
                project=project, target_kind="annotation", target_id=1, measure="length", value=value,
                undefined=undefined, signature="length|v:1",
            )  # fmt: skip
