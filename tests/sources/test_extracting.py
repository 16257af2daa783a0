"""Candidates are stored with their extractor, once, and a run that was cut short goes on where it stopped."""

import pytest

from annotation.jobs import JobLost, NoProgress, run_job
from annotation.models import Candidate, Group, Job, JobState, SourceDocument
from annotation.services.sources import candidates as candidate_jobs
from annotation.services.sources import damaged
from epitome.candidates.reading import SearchFault
from epitome.text.tokens import n_tokens, split_tokens
from tests.sources.conftest import import_, row
from tests.sources.factories import WordExtractor

pytestmark = pytest.mark.django_db


@pytest.fixture
def sources(news, jsonl):
    import_(
        news, jsonl(*(row(number, f"Number{number} council met. Bridge council reopened.") for number in range(40)))
    )
    return news


def test_candidates_carry_rank_and_extractor_and_no_doubles(sources):
    counts = candidate_jobs.extract_candidates(project=sources, extractor=WordExtractor())
    assert counts == {"sources": 40, "skipped": 0, "topics": 160, "speakers": 0, "parked": 0}
    first = SourceDocument.objects.get(external_id="doc-0")
    assert first.extractor == "words@1"
    candidates = list(first.candidates.order_by("rank").values_list("text", "rank", "extractor", "kind"))
    assert candidates[0] == ("number0", 1, "words@1", "topic")
    assert [text for text, *_ in candidates] == ["number0", "council", "bridge", "reopened."]


def test_speakers_come_in_order_of_appearance(meetings, jsonl):
    turns = [{"speaker": name, "text": "Yes and no."} for name in ("Chair", "Ann Lee", "Chair")]
    import_(meetings, jsonl({"id": "m", "segments": turns}))
    candidate_jobs.extract_candidates(project=meetings, extractor=WordExtractor())
    candidates = Candidate.objects.filter(kind="speaker").order_by("rank").values_list("text", "mentions", "words")
    assert list(candidates) == [("Chair", 2, 6), ("Ann Lee", 1, 3)]


@pytest.mark.db_engine
def test_a_second_run_does_nothing_and_a_new_version_does_all(sources):
    candidate_jobs.extract_candidates(project=sources, extractor=WordExtractor())
    ids = set(Candidate.objects.values_list("pk", flat=True))
    again = WordExtractor()
    counts = candidate_jobs.extract_candidates(project=sources, extractor=again)
    assert (counts["sources"], counts["skipped"], again.read) == (0, 40, 0)
    assert set(Candidate.objects.values_list("pk", flat=True)) == ids
    assert candidate_jobs.extract_candidates(project=sources, extractor=WordExtractor("2"))["sources"] == 40
    assert set(Candidate.objects.values_list("extractor", flat=True)) == {"words@2"}
    assert len(ids) == Candidate.objects.count()


def test_a_run_that_broke_goes_on_where_it_stopped(sources):
    with pytest.raises(RuntimeError, match="memory"):
        candidate_jobs.extract_candidates(project=sources, extractor=WordExtractor(breaks_at=20))
    assert SourceDocument.objects.exclude(extractor="").count() == candidate_jobs.BATCH
    rest = WordExtractor()
    assert candidate_jobs.extract_candidates(project=sources, extractor=rest)["sources"] == 40 - candidate_jobs.BATCH
    assert rest.read == 40 - candidate_jobs.BATCH


def test_a_source_somebody_has_chosen_from_keeps_its_candidates(sources, admin):
    candidate_jobs.extract_candidates(project=sources, extractor=WordExtractor())
    document = SourceDocument.objects.get(external_id="doc-3")
    Group.objects.create(project=sources, document=document, position=0, chosen_by=admin)
    assert candidate_jobs.extract_candidates(project=sources, extractor=WordExtractor("2"), force=True)["sources"] == 39
    document.refresh_from_db()
    assert document.extractor == "words@1"
    assert set(document.candidates.values_list("extractor", flat=True)) == {"words@1"}


def test_damaged_sources_are_passed_over(sources):
    damaged.flag_damaged(document=SourceDocument.objects.first(), reason="Broken.", by=None)
    assert candidate_jobs.extract_candidates(project=sources, extractor=WordExtractor())["sources"] == 39


def test_the_job_extracts_and_counts(sources, monkeypatch):
    monkeypatch.setattr(candidate_jobs, "default_extractor", WordExtractor)
    job = candidate_jobs.start_extraction(project=sources, by=None)
    assert job.queue == "text"
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["sources"], job.progress_done) == (JobState.DONE, 40, 40)


def test_an_extractor_that_is_not_there_is_refused_with_what_to_do(sources, settings):
    settings.EPITOME_TOPIC_EXTRACTOR = "nonsense"
    job = candidate_jobs.start_extraction(project=sources, by=None)
    run_job(job.pk)
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert "topicrank" in job.error


def test_the_operator_may_choose_pke(sources, settings):
    pytest.importorskip("pke", reason="pke IS NOT INSTALLED: extraction with it was NOT checked (make install-pke)")
    settings.EPITOME_TOPIC_EXTRACTOR = "pke:topicrank"
    job = candidate_jobs.start_extraction(project=sources, by=None)
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["sources"]) == (JobState.DONE, 40)
    first = SourceDocument.objects.get(external_id="doc-0")
    assert first.extractor.startswith("pke:topicrank@2.0.0 en_epitome_sm@")
    assert "bridge council" in set(first.candidates.values_list("text", flat=True))


def test_tokens_are_counted_after_an_import_by_a_text_job(sources):
    job = Job.objects.get(kind="count_tokens")
    assert job.queue == "text"
    assert SourceDocument.objects.filter(n_tokens__isnull=True).count() == 40
    run_job(job.pk)
    source_document = SourceDocument.objects.get(external_id="doc-7")
    assert source_document.n_tokens == n_tokens("Number7 council met.") + n_tokens("Bridge council reopened.") == 8
    assert not SourceDocument.objects.filter(n_tokens__isnull=True).exists()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("He doesn't know.", ["He", "does", "n't", "know", "."]),
        ("Gordon's 21-year-old cat", ["Gordon", "'s", "21-year-old", "cat"]),
        (
            "(CNN)Jackson paid 1,000.50 in the U.S. -- wow...",
            ["(", "CNN", ")", "Jackson", "paid", "1,000.50", "in", "the", "U.S.", "--", "wow", "..."],
        ),
        ("O'Neil's can't", ["O'Neil", "'s", "ca", "n't"]),
        (" \n", []),
    ],
)
def test_tokens_in_the_manner_of_the_treebank(text, wanted):
    assert split_tokens(text) == wanted
    assert n_tokens(text) == len(wanted)


class WithFault(WordExtractor):
    """Finds fault with texts that hold a row of brackets, and must not be given them."""

    def find_fault(self, segments):
        return SearchFault.HARDLY_ANY_SPACES if "((((" in segments[0]["text"] else None

    def extract_many(self, sources, n=20):
        for segments in sources:
            assert "((((" not in segments[0]["text"]
            yield next(super().extract_many([segments], n))


def test_a_source_that_cannot_be_searched_is_parked_with_the_reason_and_the_others_go_on(news, jsonl, client, admin):
    import_(news, jsonl(row(0, "Bridge council met."), row(1, "(" * 5000), row(2, "Bridge council reopened.")))
    counts = candidate_jobs.extract_candidates(project=news, extractor=WithFault())
    assert (counts["sources"], counts["parked"], counts["topics"]) == (3, 1, 5)
    parked = SourceDocument.objects.get(external_id="doc-1")
    assert parked.damaged
    assert "without a space" in parked.damaged_reason
    client.force_login(admin)
    page = client.get(f"/p/{news.slug}/sources/{parked.public_id}/").content.decode()
    assert "without a space" in page
    assert "doc-1" in client.get(f"/p/{news.slug}/sources/?state=damaged").content.decode()

    damaged.unflag_damaged(document=parked, by=None)  # staff decide otherwise: it is not parked again
    assert candidate_jobs.extract_candidates(project=news, extractor=WithFault())["parked"] == 0
    parked.refresh_from_db()
    assert not parked.damaged


def test_a_cancelled_extraction_stops_before_the_next_source(sources):
    extractor = WordExtractor()

    class Cancelled(NoProgress):
        def check(self):
            if extractor.read == 3:
                raise JobLost("cancelled")

    with pytest.raises(JobLost):
        candidate_jobs.extract_candidates(project=sources, extractor=extractor, progress=Cancelled())
    assert extractor.read == 3
