"""Tables of summaries without their documents, as CCSBench publishes them: by command, page and API."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from annotation.models import Annotation, Sample, SourceDocument
from annotation.services.people.projects import create_project
from annotation.services.sources.import_types import ImportRefused, parse_options
from tests.pages.import_steps import run_last, shown
from tests.sources.ccsbench_files import DOCUMENTS, write_files
from tests.sources.conftest import import_

pytestmark = pytest.mark.django_db


@pytest.fixture
def papers(db):
    return create_project(slug="papers", schema="ccsbench")


@pytest.fixture
def files(tmp_path):
    return write_files(tmp_path)


def import_by_command(files, name, *options):
    call_command(
        "import_sources", "papers", str(files[name]), "--with-references", "--map", "auto",
        "--text-from", str(files["documents.jsonl"]), *options, "--json",
    )  # fmt: skip


def requests_of(external_id):
    """Summary -> its request, in the order of the samples."""
    samples = Sample.objects.filter(document__external_id=external_id).order_by("position").select_related("group")
    return {Annotation.objects.get(sample=sample).payload["summary"]: sample.attributes for sample in samples}


def metadata_of(external_id):
    samples = Sample.objects.filter(document__external_id=external_id).order_by("position")
    return [json.loads(sample.raw_json)["raw_extra"] for sample in samples]


@pytest.mark.db_engine
def test_the_command_joins_texts_and_keeps_what_is_known_of_each_summary(papers, files):
    import_by_command(files, "readability/train.csv")
    first = SourceDocument.objects.get(external_id="2401.00001")
    assert " ".join(segment["text"] for segment in first.source_text.segments) == DOCUMENTS["2401.00001"]
    assert (first.split, first.metadata) == ("train", {})
    assert list(requests_of("2401.00001").values()) == [{"readability": "normal"}, {"readability": "high"}]
    assert metadata_of("2401.00001") == [
        {"set": "readability", "origin": "abstract"},
        {"set": "readability", "origin": "rewrite:readability", "rewritten_from": "a1"},
    ]


def test_labels_and_lists_are_those_of_the_schema(papers, files):
    import_by_command(files, "compositional/test.csv")
    assert list(requests_of("2401.00001").values()) == [
        {"length": "0", "readability": "normal", "focus": "high", "keywords": ["model", "percent"]},
        {"length": "0", "readability": "high", "focus": "high", "keywords": ["guess"]},
    ]


def test_summaries_of_another_set_are_added_where_asked_for(papers, files, capsys):
    import_by_command(files, "readability/train.csv")
    with pytest.raises(CommandError, match="other references from an earlier import"):
        import_by_command(files, "focus/val.csv")
    import_by_command(files, "focus/val.csv", "--add-summaries")
    assert [entry["set"] for entry in metadata_of("2401.00002")] == ["readability", "focus", "focus"]
    assert [entry.get("split") for entry in metadata_of("2401.00002")] == [None, "dev", "dev"]
    assert list(requests_of("2401.00002").values())[1:] == [{"focus": "high"}, {"focus": "low"}]
    capsys.readouterr()
    import_by_command(files, "focus/val.csv", "--add-summaries")
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["references"] == 0


def test_a_constant_is_kept_with_every_summary(papers, files):
    import_by_command(files, "readability/train.csv", "--summary-metadata", "licence=CC0")
    assert {entry["licence"] for entry in metadata_of("2401.00001")} == {"CC0"}
    with pytest.raises(CommandError, match="NAME=VALUE") as refusal:
        import_by_command(files, "focus/val.csv", "--summary-metadata", "licence")
    assert refusal.value.returncode == 2


def test_a_row_without_a_text_anywhere_is_a_fault_with_its_line(papers, files):
    files["documents.jsonl"].write_text(json.dumps({"id": "2401.00001", "text": "Some words."}) + "\n")
    with pytest.raises(CommandError, match=r"train\.csv, line 4.* has no text here, and none in documents\.jsonl"):
        import_by_command(files, "readability/train.csv")
    assert not SourceDocument.objects.exists()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('{"name": "a", "words": "b c"}\n', "must have a column of ids and one of texts"),
        ('{"id": "a", "text": "One."}\n{"id": "a", "text": "Two."}\n', "line 2, id: the id stands twice"),
        ("", "documents.jsonl"),
    ],
)
def test_a_file_of_texts_that_cannot_be_used_is_named(papers, files, lines, said):
    files["documents.jsonl"].write_text(lines)
    with pytest.raises(CommandError, match=said):
        import_by_command(files, "readability/train.csv")


def test_the_preview_shows_rows_as_they_would_be_read(papers, files, capsys):
    name = str(files["compositional/test.csv"])
    call_command("import_sources", "papers", name, "--preview", "--text-from", str(files["documents.jsonl"]))
    text = capsys.readouterr().out
    assert "summary_metadata:set=set" in text and "attribute:focus=focus" in text
    assert "summary: The model errs by four percent. (Length: 0 to 50 words, Keywords: model, percent" in text
    assert "Focus: High (empirical)" in text and "origin: rewrite:empirical" in text


def send(client, files, name):
    texts = SimpleUploadedFile("documents.jsonl", files["documents.jsonl"].read_bytes())
    file = SimpleUploadedFile(name.rpartition("/")[2], files[name].read_bytes())
    return client.post("/p/papers/import/", {"file": [file], "texts": texts}).headers["Location"]


@pytest.mark.django_db(transaction=True)
def test_the_page_takes_both_files(client, admin, papers, files):
    client.force_login(admin)
    address = send(client, files, "compositional/test.csv")
    page = shown(client.get(address))
    assert "with the texts of documents.jsonl" in page and "As they will be read" in page
    assert "Focus: High (empirical)" in page and "origin: rewrite:empirical" in page
    columns = {"column-7": "metadata", "list_separator": ",", "summary_metadata": "licence=CC0"}
    again = client.post(address, {"show": "rows", **columns})
    assert again.status_code == 200 and "licence: CC0" in shown(again) and not papers.jobs.exists()
    client.post(address, {"permission": "none", **columns})
    job = run_last(papers)
    assert job.state == "done", job.error
    assert metadata_of("2401.00001")[0] == {"licence": "CC0", "set": "compositional", "origin": "rewrite:empirical"}
    assert next(iter(requests_of("2401.00001").values()))["keywords"] == ["model", "percent"]

    from django.core.files.storage import default_storage

    assert not default_storage.exists(job.arguments["file"]) and not default_storage.exists(job.arguments["texts"])


@pytest.mark.django_db(transaction=True)
def test_the_api_takes_both_files(client, admin, papers, files):
    client.force_login(admin)
    columns = ("length", "keywords", "readability", "focus")
    mapping = {"id": "id", "summary": "summary", "summary_metadata:set": "set"}
    mapping |= {f"attribute:{name}": name for name in columns}
    body = {
        "file": SimpleUploadedFile("test.csv", files["compositional/test.csv"].read_bytes()),
        "text_from": SimpleUploadedFile("documents.jsonl", files["documents.jsonl"].read_bytes()),
        "mapping": json.dumps(mapping),
        "summary_metadata": json.dumps({"licence": "CC0"}),
        "list_separator": ",",
        "add_summaries": "true",
    }
    answer = client.post("/api/v1/projects/papers/imports/", body)
    assert answer.status_code == 202, answer.json()
    job = run_last(papers)
    assert (job.state, job.result["references"]) == ("done", 2), job.error
    assert metadata_of("2401.00001")[0] == {
        "licence": "CC0", "set": "compositional", "origin": "rewrite:empirical",
    }  # fmt: skip
    wrong = client.post("/api/v1/projects/papers/imports/", {"file": body["file"], "list_separator": "|"})
    assert wrong.status_code == 422


def test_metadata_in_which_rows_of_a_source_differ_is_that_of_their_summaries(papers, jsonl):
    rows = [
        {"id": "a", "text": "Some words.", "summary": "One.", "venue": "X", "judge": "first"},
        {"id": "b", "text": "Other words.", "summary": "Two.", "venue": "Y", "judge": "first"},
        {"id": "a", "text": "Some words.", "summary": "Three.", "venue": "X", "judge": "second"},
    ]
    import_(papers, jsonl(*rows), mapping={"id": "id", "text": "text", "summary": "summary"})
    assert [source.metadata for source in SourceDocument.objects.order_by("external_id")] == [
        {"venue": "X"},
        {"venue": "Y"},
    ]
    assert metadata_of("a") == [{"judge": "first"}, {"judge": "second"}]
    assert metadata_of("b") == [{"judge": "first"}]


def test_the_longest_texts_are_summaries_where_another_file_has_the_documents(papers, files, capsys):
    """The names of the published columns are not known."""
    name = files["compositional/test.csv"]
    name.write_text(name.read_text().replace("summary", "gist", 1))
    texts = ("--text-from", str(files["documents.jsonl"]))
    call_command("import_sources", "papers", str(name), "--preview", *texts)
    assert "summary=gist" in capsys.readouterr().out
    import_by_command(files, "compositional/test.csv")
    assert next(iter(requests_of("2401.00001"))) == "The model errs by four percent."


def test_rows_of_one_id_with_other_texts_are_a_fault_with_both_lines(papers, jsonl):
    rows = [{"id": "a", "text": text, "summary": "One."} for text in ("Some words.", "Some words.", "Other words.")]
    with pytest.raises(ImportRefused, match=r"line 3, id: has the id of line 1 with another text"):
        import_(papers, jsonl(*rows), mapping={"id": "id", "text": "text", "summary": "summary"})


def test_keywords_of_macsum_shaped_json_are_cut_as_topics_are(papers, tmp_path):
    control = {"length": 1, "keywords": "model , percent (4, 5)", "focus": "conceptual"}
    metadata = {"dataset": "papers", "split": "test", "file_id": 1}
    entry = {
        "metadata": metadata,
        "source": ["Some words."],
        "references": [{"control_attribute": control, "summary": "A."}],
    }
    path = tmp_path / "test.json"
    path.write_text(json.dumps([entry]))
    report = import_(papers, path, with_references=True)
    assert report.references == 1
    assert list(requests_of("papers-test-1").values()) == [
        {"length": "1", "focus": "low", "keywords": ["model", "percent (4, 5)"]}
    ]


def test_options_of_the_wrong_kind_are_refused():
    from annotation.services.core.errors import BadInput

    for values in ({"list_separator": "|"}, {"summary_metadata": {"a": 1}}, {"add_summaries": "yes"}):
        with pytest.raises(BadInput) as refusal:
            parse_options(values)
        assert refusal.value.field == next(iter(values))
