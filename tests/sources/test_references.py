"""The samples and human summaries of the published files come in as they stand, once."""

import json

import pytest

from annotation.models import Annotation, Group, Sample, Slot, SourceDocument
from annotation.services.people.projects import create_project
from annotation.services.sources.import_types import ImportRefused
from tests.sources.conftest import import_, nothing_left

pytestmark = pytest.mark.django_db


def entry(number: int, *references: dict, speakers: bool = False) -> dict:
    metadata = {"dataset": "qmsum" if speakers else "cnndm", "split": "test", "file_id": number}
    if speakers:
        metadata["turns"] = [3, 5]
    source = ["A : Hello there.", "B : It rains."] if speakers else ["It rains.", "We stay in."]
    return {"metadata": metadata, "source": source, "references": list(references)}


def reference(length="short", topic="", speaker=None, summary="Rain.", **extra) -> dict:
    control = {"length": length, "extractiveness": "fully", "specificity": "high", "topic": topic}
    if speaker is not None:
        control["speaker"] = speaker
    return {"control_attribute": control, "summary": summary, "title": "T", "relevant_turns": [[0, 1], 7], **extra}


@pytest.fixture
def macsum(tmp_path):
    def write(*entries, name="val.json"):
        file = tmp_path / name
        file.write_text(json.dumps(list(entries)), encoding="utf-8")
        return file

    return write


@pytest.mark.db_engine
def test_references_become_groups_samples_and_annotations(meetings, macsum):
    file = macsum(
        entry(
            1,
            reference("short", "rain , sun", "A , B", note="x"),
            reference("long", "rain , sun", "A , B"),
            reference("normal", "rain", ""),
            reference("short", "rain , sun", "A , B"),
            speakers=True,
        )
    )
    report = import_(meetings, file, with_references=True)
    assert (report.stored, report.references) == (1, 4)
    groups = list(Group.objects.order_by("position"))
    assert [group.chosen for group in groups] == [
        {"topic": ["rain", "sun"], "speaker": ["A", "B"]},
        {"topic": ["rain"], "speaker": []},
        {"topic": ["rain", "sun"], "speaker": ["A", "B"]},
    ]
    assert [group.asks for group in groups] == [["topic", "speaker"], ["topic"], ["topic", "speaker"]]
    assert all(group.frozen_at and group.chosen_by is None for group in groups)
    samples = list(Sample.objects.order_by("position").select_related("group"))
    assert [(sample.position, sample.group.position) for sample in samples] == [(0, 0), (1, 0), (2, 1), (3, 2)]
    assert samples[0].values == {"length": "short", "extractiveness": "full", "specificity": "high"}
    assert {sample.sampler for sample in samples} == {"import"}
    assert samples[1].combination == samples[1].schema_version.schema.combination(samples[1].values)
    annotation = Annotation.objects.get(sample=samples[0])
    assert annotation.origin == Annotation.Origin.IMPORT
    assert annotation.assignment is None
    assert annotation.payload == {
        "summary": "Rain.",
        "title": "T",
        "relevant_segments": [[0, 1], 7],
        "spans": [],
    }
    assert json.loads(annotation.raw_json) == reference("short", "rain , sun", "A , B", note="x")
    raw = json.loads(samples[0].raw_json)
    assert raw["raw_attributes"]["extractiveness"] == "fully"
    assert raw["out_of_range"] == [7]
    assert raw["raw_extra"] == {"note": "x"}
    assert not Slot.objects.exists()


def test_without_the_option_no_reference_is_stored(news, macsum):
    report = import_(news, macsum(entry(1, reference())))
    assert (report.stored, report.references) == (1, 0)
    assert not Sample.objects.exists()


@pytest.mark.db_engine
def test_references_of_stored_sources_are_added_once(news, macsum):
    file = macsum(entry(1, reference(), reference("long")), entry(2, reference()))
    import_(news, file)
    report = import_(news, file, with_references=True)
    assert (report.stored, report.duplicate, report.references) == (0, 2, 3)
    report = import_(news, file, with_references=True)
    assert (report.duplicate, report.references) == (2, 0)
    assert (Sample.objects.count(), Annotation.objects.count(), Group.objects.count()) == (3, 3, 2)


def test_other_references_for_a_source_that_has_some_are_a_fault(news, macsum):
    import_(news, macsum(entry(1, reference())), with_references=True)
    with pytest.raises(ImportRefused, match="other references"):
        import_(news, macsum(entry(1, reference(), reference("long"))), with_references=True)
    assert Sample.objects.count() == 1


@pytest.mark.parametrize(
    ("bad", "place"),
    [
        (reference("tiny"), "length"),
        (reference(speaker="A"), "speaker"),
    ],
)
def test_references_that_do_not_fit_the_schema_are_refused(news, macsum, bad, place):
    with pytest.raises(ImportRefused) as refused:
        import_(news, macsum(entry(1, reference()), entry(2, bad)), with_references=True)
    assert refused.value.report.faults[0].field == f"references[0].control_attribute.{place}"
    assert nothing_left(news)


@pytest.mark.db_engine
def test_a_failure_among_the_references_leaves_nothing(news, macsum, monkeypatch):
    from annotation.services.sources import references

    insert = references.insert_rows
    monkeypatch.setattr(references, "BATCH", 1)
    monkeypatch.setattr(
        references, "insert_rows", lambda model, *rest: 1 / 0 if model is Annotation else insert(model, *rest)
    )
    with pytest.raises(ZeroDivisionError):
        import_(news, macsum(entry(1, reference())), with_references=True)
    assert nothing_left(news)
    assert not Group.objects.exists()


@pytest.mark.db_engine
@pytest.mark.parametrize(
    ("name", "schema", "sources", "summaries"),
    [("macdoc", "macsum-doc", 94, 554), ("macdial", "macsum-dial", 41, 292)],
)
def test_the_published_dev_files(db, shared, name, schema, sources, summaries):
    file = shared / "data" / "macsum" / name / "val.json"
    project = create_project(slug=name, schema=schema)
    report = import_(project, file, with_references=True)
    assert (report.read, report.stored, report.references, report.format) == (sources, sources, summaries, "macsum")
    assert Sample.objects.filter(project=project).count() == summaries
    published = json.loads(file.read_text(encoding="utf-8"))
    # What is stored gives back every reference, in order and value for value.
    annotations = Annotation.objects.filter(project=project).order_by("sample__document_id", "sample__position")
    rebuilt = [json.loads(text) for text in annotations.values_list("raw_json", flat=True)]
    assert rebuilt == [other_reference for item in published for other_reference in item["references"]]
    assert set(SourceDocument.objects.values_list("split", flat=True)) == {"dev"}
    again = import_(project, file, with_references=True)
    assert (again.stored, again.references, again.duplicate) == (0, 0, sources)
    assert Sample.objects.filter(project=project).count() == summaries
    if name == "macdoc":
        no_topic = [group for group in Group.objects.filter(project=project) if not group.asks]
        assert sum(group.samples.count() for group in no_topic) == 282


def test_qmsum_meetings_are_split_by_topic(meetings, shared):
    report = import_(meetings, shared / "data" / "qmsum" / "val.jsonl")
    assert (report.format, report.read, report.stored, report.left_out) == ("qmsum", 149, 143, 6)
    assert report.read == report.stored + report.duplicate + report.left_out + report.rejected
    assert SourceDocument.objects.filter(n_words__gt=5000).count() == 0
    origins = set(SourceDocument.objects.values_list("origin_id", flat=True))
    assert len(origins) < 143
    assert all(
        source_document.external_id.startswith(source_document.origin_id)
        for source_document in SourceDocument.objects.all()
    )
