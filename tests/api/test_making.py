"""From nothing to a dataset by the API alone: project, sources, candidates, samples, a summary, the export."""

import json

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import (
    Annotation,
    Group,
    GuidelineVersion,
    Job,
    Project,
    Release,
    Sample,
    SourceDocument,
)
from epitome.text.sentences import join_segments
from tests.api.world import work_off
from tests.tasks.factories import payload

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]
LINES = [{"id": f"a{n}", "text": f"Sentence {n} of the source. " * 30} for n in range(3)]


def jsonl(rows: list) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def finished(caller, answer) -> dict:
    """The job of a 202, done by hand, as its status address tells it."""
    assert answer.status_code == 202, answer.content
    assert answer.headers["Location"] == answer.json_body["status_url"]
    work_off(Job.objects.get(public_id=answer.json_body["id"]))
    return caller("GET", answer.json_body["status_url"]).json_body


def send(caller, rows: bytes, name: str = "texts.jsonl", slug: str = "mine", **options) -> dict:
    data = {"file": SimpleUploadedFile(name, rows), **options}
    return finished(caller, caller("POST", f"projects/{slug}/imports/", data=data))


@pytest.fixture
def maker(world):
    """A researcher with a project of her own."""
    caller = world.as_("researcher")
    result = caller("POST", "projects/", {"slug": "mine", "schema": "macsum-doc", "name": "Mine", "overlap": 2})
    assert result.status_code == 201
    assert (result.json_body["domain"], result.json_body["overlap"], result.json_body["name"]) == (
        "document",
        2,
        "Mine",
    )
    return caller


def test_the_whole_way(world, maker):
    job = send(maker, jsonl(LINES), split="train", licence="CC0-1.0", may_release_text="false")
    assert (job["state"], job["result"]["read"], job["result"]["stored"], job["faults"]) == ("done", 3, 3, [])
    listed = maker("GET", "projects/mine/documents/").json_body["results"]
    assert [(row["external_id"], row["split"], row["may_release_text"]) for row in listed] == [
        (f"a{n}", "train", False) for n in range(3)
    ]
    read = maker("GET", f"documents/{listed[0]['id']}/").json_body
    assert join_segments(read["segments"]) == LINES[0]["text"]

    assert finished(maker, maker("POST", "projects/mine/candidates/"))["state"] == "done"
    assert maker("GET", f"documents/{listed[0]['id']}/").json_body["candidates"][0]["rank"] == 1

    trial = maker("POST", "projects/mine/samples/dry-run/", {"seed": 7}).json_body
    assert (trial["sources"], Sample.objects.filter(project__slug="mine").count()) == (3, 0)
    assert sum(trial["values"]["length"].values()) == trial["samples"]
    drawn = finished(maker, maker("POST", "projects/mine/samples/", {"seed": 7}))
    assert drawn["result"]["samples"] == trial["samples"]
    assert maker("GET", "projects/mine/samples/").json_body["count"] == trial["samples"]

    member = {"username": "annotator", "role": "annotator"}
    assert maker("POST", "projects/mine/members/", member).status_code == 201
    writer = world.as_("annotator")
    assert writer("POST", "projects/mine/assignments/claim/").json_body["code"] == "gate"
    json_body = writer("GET", "projects/mine/gate/").json_body
    signed = {"version": json_body["version"], "statement_hash": json_body["statement_hash"], "consent": True}
    assert writer("POST", "projects/mine/gate/", signed).json_body["open"]
    task = writer("POST", "projects/mine/assignments/claim/").json_body
    chosen = {"topic": [{"text": "sentence"}]} if "topic" in task["group"]["asks"] else {}
    if task["group"]["asks"]:
        writer("POST", f"assignments/{task['id']}/choose/", {"chosen": chosen})
    body = {"payload": payload(relevant_segments=[0])}
    result = writer("POST", f"assignments/{task['id']}/submit/", body, Idempotency_Key="one")
    assert result.status_code == 201
    assert (
        writer("POST", f"assignments/{task['id']}/submit/", body, Idempotency_Key="one").json_body == result.json_body
    )

    rows = maker("GET", "projects/mine/annotations/").json_body["results"]
    assert [(row["id"], row["username"], row["state"]) for row in rows] == [
        (result.json_body["id"], "annotator", "submitted")
    ]
    stream = maker("GET", "projects/mine/export/?format=jsonl&state=latest")
    assert stream.headers["Content-Disposition"] == 'attachment; filename="mine.jsonl"'
    assert stream.headers["X-Content-Type-Options"] == "nosniff"
    lines = [json.loads(line) for line in b"".join(stream.streaming_content).splitlines()]
    summaries = [line for line in lines if line["task"] == "summary"]
    assert [line["annotator"] for line in summaries] == [rows[0]["annotator"]]
    assert summaries[0]["text"] == rows[0]["payload"]["summary"]


def test_an_import_with_faults_is_told_by_line(maker):
    bad = jsonl(LINES[:1]) + b'{"id": "b"}\n{"id": "c", "text": NaN}\n'
    job = send(maker, bad)
    assert (job["state"], job["result"]["read"], job["result"]["rejected"]) == ("failed", 3, 3)
    assert [fault["line"] for fault in job["faults"]] == [2, 3]
    assert "texts.jsonl" in job["error"]
    assert not SourceDocument.objects.filter(project__slug="mine").exists()
    partly = send(maker, bad, partial="true", licence="CC0-1.0")
    stored = SourceDocument.objects.get(project__slug="mine")
    assert (stored.licence, stored.may_release_text) == ("CC0-1.0", False)  # a licence alone is no permission
    assert (partly["state"], partly["result"]["stored"], partly["result"]["rejected"]) == ("done", 1, 2)
    again = send(maker, jsonl(LINES), dry_run="true")
    assert (again["result"]["duplicate"], again["result"]["stored"]) == (1, 2)
    assert SourceDocument.objects.filter(project__slug="mine").count() == 1


def test_columns_are_mapped_by_json(maker):
    rows = b'doc,body\nx,"One sentence."\n'
    job = send(maker, rows, "t.csv", mapping='{"id": "doc", "text": "body"}')
    assert (job["state"], job["result"]["stored"], job["result"]["format"]) == ("done", 1, "csv")


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"mapping": "{"}, "mapping"),
        ({"mapping": "[1]"}, "mapping"),
        ({"mapping": '{"text": 1}'}, "mapping"),
        ({"mapping": "[" * 5000}, "mapping"),
        ({"format": "exe"}, "format"),
        ({"split": "s" * 21}, "split"),
        ({"split": "a\x00b"}, "split"),
        ({"max_words": "0"}, "max_words"),
        ({"dry_run": "perhaps"}, "dry_run"),
        ({"created_by": "1"}, "created_by"),
        ({"job": "1"}, "job"),
        ({"file": "text"}, "file"),
    ],
)
def test_options_that_are_refused(maker, options, field):
    data = {"file": SimpleUploadedFile("a.jsonl", jsonl(LINES)), **options}
    answer = maker("POST", "projects/mine/imports/", data=data)
    assert (answer.status_code, [row["field"] for row in answer.json_body["errors"]]) == (422, [field])
    assert not Job.objects.filter(project__slug="mine").exists()


def test_an_import_without_a_file(maker):
    answer = maker("POST", "projects/mine/imports/", data={"format": "jsonl"})
    assert (answer.status_code, answer.json_body["errors"][0]["field"]) == (422, "file")
    assert maker("POST", "projects/mine/imports/", {"file": "x"}).status_code == 415


def test_hostile_file_names_are_only_names(maker):
    for name in ("../../etc/passwd", "a\x00b.jsonl", "n" * 500 + ".jsonl", "a\r\nX-Evil: 1.jsonl", "\u202egnp.jsonl"):
        job = send(maker, jsonl(LINES), name, dry_run="true")
        assert job["state"] == "done", name


def test_a_project_from_ones_own_schema(world):
    from epitome.schema import preset_text

    caller = world.as_("researcher")
    text = preset_text("macsum-dial")
    result = caller("POST", "projects/", {"slug": "own", "schema_text": text, "guideline": "# Ours\n"})
    assert (result.status_code, result.json_body["domain"]) == (201, "dialogue")
    assert caller("GET", "projects/own/schema/").json_body["text"] == text
    assert caller("GET", "projects/own/guideline/").json_body["text"] == "# Ours\n"
    wrong = caller("POST", "projects/", {"slug": "own2", "schema_text": "[[attribute]]\nkey = 1"})
    assert (wrong.status_code, wrong.json_body["errors"][0]["field"]) == (422, "schema")
    assert not Project.objects.filter(slug="own2").exists()


def test_versions_are_added_and_stay(world):
    caller = world.as_("researcher")
    first = caller("GET", "projects/news/schema/").json_body
    assert {row["key"] for row in first["attributes"]} >= {"length", "topic"}
    assert caller("POST", "projects/news/schema/", {"text": first["text"]}).status_code == 200
    second = caller("POST", "projects/news/schema/", {"text": first["text"] + "\n# more\n"})
    assert (second.status_code, second.json_body["number"]) == (201, 2)
    assert caller("GET", "projects/news/schema/").json_body["number"] == 2
    assert caller("GET", "projects/news/schema/?version=1").json_body == first
    assert caller("GET", "projects/news/schema/?version=3").status_code == 404
    assert caller("GET", "projects/news/schema/?version=x").status_code == 400
    refused = caller("POST", "projects/news/schema/", {"text": "key = ["})
    assert (refused.status_code, refused.json_body["errors"][0]["field"]) == (422, "text")
    fields = {"note": "Titles are shorter."}
    assert caller("POST", "projects/news/guideline/", {"text": "# Guideline", **fields}).status_code == 200
    refused = caller("POST", "projects/news/guideline/", {"text": "# New\n\n "})
    assert (refused.status_code, refused.json_body["errors"][0]["field"]) == (422, "note")  # as on the page
    json_body = caller("POST", "projects/news/guideline/", {"text": "# New\n\n ", **fields}).json_body
    assert (json_body["text"], json_body["change"], json_body["note"]) == ("# New\n\n ", "rule", "Titles are shorter.")
    assert GuidelineVersion.objects.filter(project=world.project).count() == 2
    assert world.as_("annotator")("GET", "projects/news/guideline/").json_body["number"] == 2


def test_reviewers_see_pseudonyms_only(world):
    seen = world.as_("reviewer")("GET", "projects/news/annotations/").json_body["results"][0]
    json_body = world.as_("researcher")("GET", f"annotations/{world.annotation.public_id}/").json_body
    assert (seen["username"], json_body["username"]) == (None, "annotator")
    assert {**seen, "username": "annotator"} == json_body
    assert seen["annotator"] not in ("annotator", str(world.people["annotator"].pk))
    assert seen["sample_id"] == "news-0#0"
    assert seen["payload"]["title"] == "Late ferry"
    assert (seen["state"], seen["origin"], seen["revision"]) == ("submitted", "person", 1)


def test_annotations_by_state_source_and_revision(world):
    caller = world.as_("admin")

    def count(query: str) -> int:
        return caller("GET", f"projects/news/annotations/?{query}").json_body["count"]

    assert (count("state=submitted"), count("state=accepted"), count("state=imported")) == (1, 0, 0)
    assert (count("source=news-0"), count("source=news-1"), count("source=%27")) == (1, 0, 0)
    Annotation.objects.create(
        project=world.project,
        sample=Sample.objects.filter(project=world.project).last(),
        origin="import",
        payload={"summary": "x"},
        schema_version=world.project.schema_version,
        created_at=world.annotation.created_at,
    )
    rows = caller("GET", "projects/news/annotations/?state=imported").json_body["results"]
    assert [(row["origin"], row["annotator"], row["assignment"]) for row in rows] == [("import", None, None)]
    assert caller("GET", "projects/news/annotations/?state=lost").status_code == 400


def test_a_stream_in_macsums_form_and_its_refusals(world):
    caller = world.as_("researcher")
    stream = caller("GET", "projects/news/export/?format=macsum&state=accepted")
    assert [row["references"] for row in json.loads(b"".join(stream.streaming_content))] == [[], []]
    for query, field in (
        ("format=parquet", "format"),
        ("format=html", "format"),
        ("state=all", "state"),
        ("split=random", "split"),
        ("split_seed=x", "split_seed"),
        ("split_seed=99999999999999999999", "split_seed"),
        ("shares=60,20", "shares"),
        ("shares=60,x,20", "shares"),
        ("limit=1", "limit"),
    ):
        answer = caller("GET", f"projects/news/export/?{query}")
        assert (answer.status_code, answer.json_body["errors"][0]["field"]) == (400, field)
    assert caller("GET", "projects/news/export/?release=no/tag").status_code == 400
    assert caller("GET", "projects/news/export/?split=keep&split_seed=1").status_code == 400
    assert caller("GET", "projects/news/export/?release=v9").status_code == 404
    head = caller.client.head("/api/v1/projects/news/export/")
    assert (head.status_code, head.headers["X-Content-Type-Options"]) == (200, "nosniff")


def test_an_export_job_writes_file_and_manifest(world):
    caller = world.as_("researcher")
    job = finished(caller, caller("POST", "projects/news/exports/", {"format": "jsonl", "release": "v1"}))
    assert job["state"] == "done"
    file = caller("GET", job["download_url"])
    written = b"".join(file.streaming_content)
    assert file.headers["Content-Disposition"] == 'attachment; filename="news-v1.jsonl"'
    assert file.headers["X-Content-Type-Options"] == "nosniff"
    manifest = json.loads(b"".join(caller("GET", job["download_url"] + "?part=manifest").streaming_content))
    assert manifest["bytes"] == len(written)
    assert manifest["counts"]["summaries"] == 1
    releases = caller("GET", "projects/news/releases/").json_body["results"]
    assert [row["tag"] for row in releases] == [row.tag for row in Release.objects.all()] == ["v1"]
    again = caller("GET", "projects/news/export/?release=v1")
    assert b"".join(again.streaming_content) == written
    other = caller("GET", "projects/news/export/?release=v1&state=accepted")
    assert (other.status_code, other.json_body["errors"][0]["field"]) == (409, "state")
    assert world.as_("outsider")("GET", job["download_url"]).status_code == 404


def test_a_job_under_way_is_cancelled_once_and_stores_nothing(world, maker):
    upload = {"file": SimpleUploadedFile("texts.jsonl", jsonl(LINES))}
    job_id = maker("POST", "projects/mine/imports/", data=upload).json_body["id"]
    assert world.as_("outsider")("POST", f"jobs/{job_id}/cancel/").status_code == 404
    assert world.as_("annotator")("POST", f"jobs/{job_id}/cancel/").status_code == 404
    cancelled = maker("POST", f"jobs/{job_id}/cancel/")
    assert (cancelled.status_code, cancelled.json_body["state"]) == (200, "cancelled")
    assert cancelled.json_body["finished_at"]
    work_off(Job.objects.get(public_id=job_id))
    assert maker("GET", "projects/mine/documents/").json_body["results"] == []
    again = maker("POST", f"jobs/{job_id}/cancel/")
    assert (again.status_code, again.json_body["code"]) == (409, "ended")


def test_a_job_of_a_kind_that_cannot_be_cancelled_goes_on(world):
    job = Job.objects.create(kind="webhooks", project=world.project)
    refused = world.as_("admin")("POST", f"jobs/{job.public_id}/cancel/")
    assert (refused.status_code, refused.json_body["code"]) == (409, "kind")
    job.refresh_from_db()
    assert job.state == "queued"


def test_a_job_without_a_file(world):
    caller = world.as_("admin")
    job = Job.objects.create(kind="import", project=world.project, state="done", result={"file": "imports/x"})
    assert caller("GET", f"jobs/{job.public_id}/").json_body["download_url"] is None
    assert caller("GET", f"jobs/{job.public_id}/download/").status_code == 404
    from django.core.files.storage import default_storage

    default_storage.delete(world.job.result["file"])
    assert caller("GET", f"jobs/{world.job.public_id}/download/").status_code == 404
    default_storage.save(world.job.result["file"], ContentFile(b"back"))
    assert caller("GET", f"jobs/{world.job.public_id}/download/").status_code == 200


def test_a_selection_is_recorded(world):
    caller = world.as_("researcher")
    json_body = caller("POST", "projects/news/selections/", {"n": 1, "seed": 5}).json_body
    assert len(json_body["chosen"]) == 1
    source_documents = SourceDocument.objects.filter(project=world.project, selected=True).values_list(
        "external_id", flat=True
    )
    assert list(source_documents) == json_body["chosen"]
    too_many = caller("POST", "projects/news/selections/", {"n": 99})
    assert (too_many.status_code, too_many.json_body["errors"][0]["field"]) == (422, "n")
    listed = caller("GET", "projects/news/selections/").json_body["results"]
    assert [(row["n"], row["seed"]) for row in listed] == [(1, 5)]


@pytest.mark.parametrize(
    ("wished", "field"),
    [
        ({"algorithm": "dice"}, "algorithm"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**63}, "seed"),
        ({"group_size": 0}, "group_size"),
        ({"per_2000_words": 1e308}, "per_2000_words"),
        ({"per_source": 0}, "per_source"),
        ({"per_source": 3, "per_2000_words": 8}, "per_source"),
        ({"weights": {}}, "weights"),
        ({"overlap": 3}, "overlap"),
    ],
)
@pytest.mark.parametrize("call", ["samples", "samples/dry-run"])
def test_draws_that_are_refused(world, call, wished, field):
    count_before = Group.objects.count()
    answer = world.as_("researcher")("POST", f"projects/news/{call}/", wished)
    assert (answer.status_code, answer.json_body["errors"][0]["field"]) == (422, field)
    assert (Group.objects.count(), Job.objects.filter(kind="sample").count()) == (count_before, 0)
