"""A publication as others get it: loaded by the libraries they use, with what staff decided."""

import json
import subprocess
import sys
from datetime import timedelta
from unittest import mock

import pytest
import yaml
from django.utils import timezone

from annotation.models import AuditEvent, HitDecision, PublicationHit, Slot, SourceDocument
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.publications import publications
from annotation.services.publications.folder_writer import write_folder
from annotation.services.publications.hit_excerpts import read_excerpts
from annotation.services.publications.publication_check import check_publication
from tests.export import factories as export_factories
from tests.publications import factories as make

pytestmark = pytest.mark.django_db
LOAD = """
import json, sys
from datasets import get_dataset_config_names, load_dataset
loaded = {}
for config in get_dataset_config_names(sys.argv[1]):
    for split, rows in load_dataset(sys.argv[1], config, cache_dir=sys.argv[2]).items():
        loaded[f"{config}/{split}"] = list(rows)
print(json.dumps(loaded))
"""


@pytest.fixture
def project(tmp_path, django_user_model):
    return make.make_project(tmp_path, django_user_model)


def load_offline(folder, cache):
    """The rows by configuration and split, as `datasets` gives them to a program that has no network."""
    environment = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(cache), "PATH": "", "HF_HUB_DISABLE_TELEMETRY": "1"}
    command = [sys.executable, "-c", LOAD, str(folder), str(cache)]
    answer = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert answer.returncode == 0, answer.stderr[-2000:]
    return json.loads(answer.stdout)


def test_the_folder_loads_with_the_library_others_use(project, tmp_path):
    folder = tmp_path / "out"
    write_folder(publication=make.make_ready(project, leaks="keep"), folder=folder)
    loaded = load_offline(folder, tmp_path / "cache")

    assert {name: len(rows) for name, rows in loaded.items()} == {
        "summaries/train": 1,
        "sources/train": 3,
        "sources/validation": 1,
        "sources/test": 1,
    }
    row = loaded["summaries/train"][0]
    assert row["id"] == "a#0" and row["source_id"] == "a" and row["control_length"] == "short"
    assert row["summary"] == "Call ███ ██ ███████."
    assert row["segments"][0]["text"] == "Write to ████████████████ today."
    assert row["spans"] == [{"segment": 0, "start": 0, "end": 25, "quote": "Write to ████████████████"}]
    assert row["relevant_segments"] == [[0, 0]]
    assert {source["title"] for source in loaded["sources/train"]} == {"Anna Meier resigns", ""}


def test_summaries_that_were_requested_in_addition_are_marked(project, tmp_path):
    import mlcroissant

    for folder, extra in (("planned", False), ("further", True)):
        Slot.objects.filter(project=project).update(extra=extra)
        out = tmp_path / folder
        write_folder(publication=make.make_ready(project, f"v-{folder}", leaks="keep"), folder=out)
        (row,) = load_offline(out, tmp_path / f"cache-{folder}")["summaries/train"]
        assert row["extra"] is extra
        (record,) = mlcroissant.Dataset(jsonld=out / "croissant.json").records("summaries-train")
        assert record["summaries-train/extra"] == extra
    assert "| `extra` | whether the summary was written in addition" in (out / "README.md").read_text("utf-8")


def test_croissant_is_valid_and_gives_the_rows(project, tmp_path):
    import mlcroissant

    publication = make.make_ready(project)
    text = {"title": "Council news", "summary": "News.", "licence": "CC BY 4.0", "citation": "Meier 2026"}
    publications.save_description(publication=publication, changes={**text, "authors": "A. Meier"}, by=None)
    write_folder(publication=publication, folder=tmp_path / "out")
    dataset = mlcroissant.Dataset(jsonld=tmp_path / "out" / "croissant.json")

    assert not dataset.metadata.issues.errors and not dataset.metadata.issues.warnings
    records = list(dataset.records("summaries-train"))
    assert [record["summaries-train/summary"].decode() for record in records] == ["Call ███ ██ ███████."]


def test_croissant_gives_the_source_and_what_is_marked_in_it(project, tmp_path):
    import mlcroissant

    write_folder(publication=make.make_ready(project, leaks="keep"), folder=tmp_path / "out")
    dataset = mlcroissant.Dataset(jsonld=tmp_path / "out" / "croissant.json")

    assert not dataset.metadata.issues.errors
    (record,) = dataset.records("summaries-train")
    texts = [segment["summaries-train/segments/text"].decode() for segment in record["summaries-train/segments"]]
    assert texts[0] == "Write to ████████████████ today."
    (span,) = record["summaries-train/spans"]
    assert {name.rsplit("/", 1)[-1]: span[name] for name in span} == {
        "segment": 0,
        "start": 0,
        "end": 25,
        "quote": "Write to ████████████████".encode(),
    }
    (segments,) = record["summaries-train/relevant_segments"]
    assert [segments[f"summaries-train/relevant_segments/{part}"] for part in ("first", "last")] == [0, 0]
    texts = [row["sources-train/segments"] for row in dataset.records("sources-train")]
    assert len(texts) == 3 and all(segment["sources-train/segments/text"] for row in texts for segment in row)


def test_the_front_matter_names_what_the_hub_reads(project, tmp_path):
    publication = make.make_ready(project)
    changes = {"title": 'News: "all" of it', "licence": "House rules 3"}
    publications.save_description(publication=publication, changes=changes, by=None)
    write_folder(publication=publication, folder=tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    front = yaml.safe_load(card.split("---\n")[1])

    assert front["pretty_name"] == 'News: "all" of it'
    assert (front["license"], front["license_name"]) == ("other", "house-rules-3")
    assert front["language"] == ["en"] and front["size_categories"] == ["n<1K"]
    paths = [entry["path"] for config in front["configs"] for entry in config["data_files"]]
    assert paths and all((tmp_path / "out" / path).is_file() for path in paths)
    assert "| phone numbers | 0 | 1 | 0 |" in card and "| CC BY 4.0 |" in card


def test_the_datasheet_says_what_is_known_and_marks_gaps(project, tmp_path):
    publication = make.make_ready(project)
    publications.save_description(publication=publication, changes={"answers": {"funding": "The lab."}}, by=None)
    write_folder(publication=publication, folder=tmp_path / "out")
    sheet = (tmp_path / "out" / "DATASHEET.md").read_text(encoding="utf-8")
    answers = dict(word.split("\n\n", 1) for word in sheet.split("### ")[1:])

    assert "The lab." in answers["Who paid for its creation?"]
    assert "*to be filled in*" in answers["Was there an ethical review?"]
    assert "1 text over 3 sources" in answers["How many instances are there?"]
    assert "One annotator wrote them." in answers["Who took part in the collection, and how were they paid?"]


@pytest.mark.parametrize(("decision", "n_summaries"), [("keep", 1), ("leave_out", 0)])
def test_a_source_with_personal_data_leaves_with_its_summaries(project, tmp_path, decision, n_summaries):
    publication = make.make_ready(project, email=decision)
    written = write_folder(publication=publication, folder=tmp_path / "out")

    assert written.n_summaries == n_summaries
    texts = "".join(path.read_bytes().decode("latin-1") for path in (tmp_path / "out").rglob("*.parquet"))
    assert ("anna@example.org" in texts) == (decision == "keep")


def test_leaks_leave_the_less_held_out_split(project, tmp_path):
    publication = make.make_checked(project)

    assert publication.checks["equal_texts"]["pairs"] == 1
    assert {frozenset(pair["sources"]) for pair in publication.checks["near_duplicates"]["listed"]} == {
        frozenset("bd"),
        frozenset("cd"),
    }
    make.decide(publication, email="mask", phone="mask", name="keep", leaks="leave_out")
    write_folder(publication=publication, folder=tmp_path / "out")
    loaded = load_offline(tmp_path / "out", tmp_path / "cache")
    assert {name: sorted(row["id"] for row in rows) for name, rows in loaded.items() if "sources" in name} == {
        "sources/train": ["a", "e"],
        "sources/test": ["c"],
    }


def test_an_origin_in_two_splits_stays_in_the_most_held_out_one(project, tmp_path):
    SourceDocument.objects.filter(external_id__in=["a", "c"]).update(origin_id="meeting")
    publication = make.make_ready(project)

    assert publication.checks["crossings"] == {
        "origins": 1,
        "listed": [{"origin_id": "meeting", "splits": ["test", "train"]}],
    }
    written = write_folder(publication=publication, folder=tmp_path / "out")
    assert written.n_summaries == 0  # the only summary is of `a`, in train


def test_texts_without_a_licence_block_or_are_left_out(tmp_path, django_user_model):
    publication = make.make_ready(make.make_project(tmp_path, django_user_model, licence=""))
    with pytest.raises(Conflict, match="no licence"):
        write_folder(publication=publication, folder=tmp_path / "out")
    make.decide(publication, unlicensed="leave_out")
    write_folder(publication=publication, folder=tmp_path / "out")

    loaded = load_offline(tmp_path / "out", tmp_path / "cache")
    row = loaded["summaries/train"][0]
    assert row["segments"] is None and row["spans"][0]["quote"] is None
    assert all(source["segments"] is None for rows in loaded.values() for source in rows)


def test_nothing_is_written_before_it_is_checked_and_decided(project, tmp_path):
    publication = publications.start_publication(project=project, tag="v1.0", by=None)
    with pytest.raises(Conflict, match="not been checked"):
        write_folder(publication=publication, folder=tmp_path / "out")
    check_publication(publication=publication)
    with pytest.raises(Conflict, match="personal data"):
        write_folder(publication=publication, folder=tmp_path / "out")
    make.decide(publication, email="mask", phone="keep", name="keep")
    with pytest.raises(Conflict, match="leak"):
        write_folder(publication=publication, folder=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_text_changed_after_the_check_is_not_written(project, tmp_path):
    publication = make.make_ready(project)
    SourceDocument.objects.filter(external_id="e").update(title="Write to eve@example.org")
    with pytest.raises(Conflict, match="Check again"):
        write_folder(publication=publication, folder=tmp_path / "out")


def test_a_second_check_keeps_decisions_and_forgets_what_is_gone(project):
    publication = make.make_ready(project)
    hits_before = set(publication.hits.values_list("kind", "decision"))
    SourceDocument.objects.filter(external_id="a").update(title="Somebody resigns")
    check_publication(publication=publication)

    assert set(publication.hits.values_list("kind", "decision")) == hits_before - {("name", "keep")}


def test_hits_hold_no_text_and_excerpts_read_it(project):
    publication = make.make_checked(project)
    hits = list(publication.hits.select_related("document").order_by("kind"))
    excerpts = {excerpt.hit.kind: excerpt for excerpt in read_excerpts(project, hits)}

    assert excerpts["email"].matched == "anna@example.org" and excerpts["email"].before == "Write to "
    assert excerpts["phone"].matched == "+49 30 1234567"
    assert excerpts["name"].matched == "Anna Meier"
    assert "anna@example.org" not in repr(list(PublicationHit.objects.values()))


def test_an_address_in_an_imported_column_is_found_and_masked(tmp_path):
    project = make.create_project(slug="imported", schema="macsum-doc")
    file = tmp_path / "in.csv"
    file.write_text(f"id,text,gold,subject\nz,The road is closed. {make.LONG},It is closed.,roads; zoe@example.org\n")
    columns = {"id": "id", "text": "text", "summary": "gold", "attribute:topic": "subject"}
    export_factories.import_project_file(project, file, mapping=columns, licence="CC BY 4.0")

    publication = make.make_checked(project)
    (excerpt,) = read_excerpts(project, list(publication.hits.select_related("document")))
    assert (excerpt.hit.kind, excerpt.matched) == ("email", "zoe@example.org")
    make.decide(publication, email="mask")
    write_folder(publication=publication, folder=tmp_path / "out")
    (row,) = load_offline(tmp_path / "out", tmp_path / "cache")["summaries/train"]
    assert row["control_topic"] == ["roads", "███████████████"]


def test_a_folder_with_files_is_refused(project, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(BadInput, match="not empty"):
        write_folder(publication=make.make_ready(project), folder=tmp_path / "out")


def test_two_writings_are_equal(project, tmp_path):
    """Also those of two days: what names a day names the one of the release."""
    publication = make.make_ready(project)
    write_folder(publication=publication, folder=tmp_path / "one")
    later = timezone.now() + timedelta(days=40)
    with mock.patch("django.utils.timezone.now", return_value=later):
        write_folder(publication=publication, folder=tmp_path / "two")
    files = [
        sorted(path.relative_to(tmp_path / name) for path in (tmp_path / name).rglob("*")) for name in ("one", "two")
    ]

    assert files[0] == files[1]
    for path in files[0]:
        if (tmp_path / "one" / path).is_file():
            assert (tmp_path / "one" / path).read_bytes() == (tmp_path / "two" / path).read_bytes()


def test_every_step_is_in_the_audit_log(project, tmp_path):
    write_folder(publication=make.make_ready(project), folder=tmp_path / "out")
    verbs = set(AuditEvent.objects.filter(target__startswith="publication:").values_list("verb", flat=True))

    assert verbs == {"publication.start", "publication.check", "publication.decide", "publication.choose",
                     "publication.write"}  # fmt: skip


def test_a_tag_is_published_once_and_answers_are_checked(project):
    publication = publications.start_publication(project=project, tag="v1.0", by=None)
    with pytest.raises(Conflict):
        publications.start_publication(project=project, tag="v1.0", by=None)
    for changes in ({"answers": {"nonsense": "x"}}, {"title": "a\nb"}, {"homepage": "javascript:x"}, {"other": "x"}):
        with pytest.raises(BadInput):
            publications.save_description(publication=publication, changes=changes, by=None)
    with pytest.raises(BadInput):
        publications.decide_hits(publication=publication, hits=publication.hits.all(), decision="burn", by=None)


def test_an_aggregation_project_is_published_with_its_own_fields(tmp_path, django_user_model):
    from tests.rankings.factories import make_aggregation_project

    project = make_aggregation_project()
    SourceDocument.objects.filter(project=project).update(licence="CC0")
    publication = publications.start_publication(project=project, tag="v1.0", state="latest", by=None)
    check_publication(publication=publication)
    publications.decide_hits(publication=publication, hits=publication.hits.all(), decision=HitDecision.KEEP, by=None)
    make.decide(publication, leaks="keep")
    write_folder(publication=publication, folder=tmp_path / "out")
    rows = [row for name, rows in load_offline(tmp_path / "out", tmp_path / "c").items() for row in rows]
    assert any("answers" in json.loads(row["fields"]) for row in rows if "fields" in row)


def test_rows_written_later_are_not_part_of_it(project, tmp_path, django_user_model):
    publication = make.make_ready(project)
    annotator = export_factories.make_person(project, "late", django_user_model)
    export_factories.accept_annotation(export_factories.write_one(project, annotator, "Late.", relevant_segments=[0]))
    assert write_folder(publication=publication, folder=tmp_path / "out").n_summaries == 1
