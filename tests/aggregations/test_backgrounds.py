"""Backgrounds: files, Wikipedia behind a stub, what staff types, and dropped entities."""

import http.server
import json
import threading
from contextlib import contextmanager

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import AggregationInstance, AuditEvent, EntityBackground, Role, Sample, Slot
from annotation.services.aggregations import backgrounds, wikipedia
from annotation.services.aggregations.extraction import ExtractionOptions, extract_tuples
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.exports import exporting
from annotation.services.tasks import claim, submit
from tests.aggregations.factories import make_articles, make_instances, write_backgrounds
from tests.people.conftest import signed_in
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


def get_row(name):
    return backgrounds.list_backgrounds(EntityBackground.objects.get(name=name).project).get(name=name)


def shown_texts(name):
    return {
        entity["background"]
        for instance in AggregationInstance.objects.all()
        for entity in instance.entities
        if entity["name"] == name
    }


@contextmanager
def serve_summaries(answers, asked, settings):
    """A stub of the summary endpoint. answers: title -> (status, body); a text body is a redirect."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            title = self.path.rsplit("/", 1)[1]
            asked.append(title)
            status, body = answers.get(title, (404, {}))
            self.send_response(status)
            if isinstance(body, str):
                self.send_header("Location", body)
                body = {}
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_args):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    settings.EPITOME_WIKIPEDIA = f"http://127.0.0.1:{server.server_port}"
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_wikipedia_is_asked_once_per_name(tmp_path, settings):
    project = make_articles(tmp_path)
    extract_tuples(project=project, options=ExtractionOptions())
    page = {"desktop": {"page": "https://en.wikipedia.org/wiki/Dunmere"}}
    answers = {
        "Dunmere": (200, {"type": "standard", "title": "Dunmere", "extract": "A town.\nMore.", "content_urls": page}),
        "Oren_Tallis": (200, {"type": "disambiguation", "extract": "Oren Tallis may refer to:"}),
        "Port_Issel": (302, "http://127.0.0.1:1/elsewhere"),
        "Teal_Line": (500, {}),
    }
    items = []
    with serve_summaries(answers, items, settings):
        counts = wikipedia.look_up_backgrounds(project=project)
        again = wikipedia.look_up_backgrounds(project=project)
    assert counts == {"looked_up": 4, "found": 1, "ambiguous": 1, "missing": 2, "failed": 2}
    assert again == {"looked_up": 0, "found": 0, "ambiguous": 0, "missing": 0, "failed": 2}
    assert sorted(items[6:]) == ["Port_Issel", "Teal_Line"]
    assert shown_texts("Dunmere") == {"A town."}
    rows = EntityBackground.objects.values_list("name", "state", "origin").order_by("name")
    assert list(rows) == [
        ("Corvin Shipping", "missing", "wikipedia"),
        ("Dunmere", "found", "wikipedia"),
        ("Mara Lindqvist", "missing", "wikipedia"),
        ("Oren Tallis", "ambiguous", "wikipedia"),
        ("Port Issel", "missing", ""),
        ("Teal Line", "missing", ""),
    ]


def test_a_typed_title_is_looked_up_by_the_next_run(tmp_path, settings):
    project = make_articles(tmp_path)
    extract_tuples(project=project, options=ExtractionOptions())
    items = []
    answers = {"Oren_Tallis_%28politician%29": (200, {"type": "standard", "title": "T", "extract": "A politician."})}
    with serve_summaries(answers, items, settings):
        wikipedia.look_up_backgrounds(project=project)
        backgrounds.change_background(
            background=get_row("Oren Tallis"), title="Oren Tallis (politician)", url="", text="", by=None
        )
        counts = wikipedia.look_up_backgrounds(project=project)
    assert (counts["looked_up"], counts["found"], items[-1]) == (1, 1, "Oren_Tallis_%28politician%29")
    assert shown_texts("Oren Tallis") == {"A politician."}


def test_silence_ends_the_run_and_keeps_what_was_stored(tmp_path, settings):
    project = make_articles(tmp_path)
    extract_tuples(project=project, options=ExtractionOptions())
    settings.EPITOME_WIKIPEDIA = "http://127.0.0.1:1"
    with pytest.raises(Conflict, match="does not answer"):
        wikipedia.look_up_backgrounds(project=project)
    assert EntityBackground.objects.filter(origin="").count() == 6


def test_a_changed_background_reaches_only_tasks_that_nobody_has_begun(tmp_path):
    project = make_instances(tmp_path)
    ann = make_people(1, project)[0]
    begun = claim.claim_next(project=project, annotator=ann).assignment.sample.instance
    name = begun.entities[0]["name"]
    changed = backgrounds.change_background(
        background=get_row(name), title="", url="https://x.test/", text="Quite another text.", by=None
    )
    begun.refresh_from_db()
    assert begun.entities[0]["background"] != "Quite another text."
    others = AggregationInstance.objects.filter(backgrounds__name=name, sample__assignments=None)
    assert changed == others.count()
    assert all(e["background"] == "Quite another text." for row in others for e in row.entities if e["name"] == name)


def test_a_dropped_entity_voids_its_instances_and_is_never_drawn_again(tmp_path):
    project = make_instances(tmp_path)
    ann = make_people(1, project)[0]
    task = claim.claim_next(project=project, annotator=ann).assignment
    submit.submit_task(assignment=task, payload={"answers": ["the towns"]}, idempotency_key="k")
    name = task.sample.instance.entities[0]["name"]
    n = EntityBackground.objects.get(name=name).instances.count()
    assert backgrounds.drop_entity(background=get_row(name), by=None) == n
    assert Sample.objects.filter(state="void").count() == n
    assert not Slot.objects.free().filter(sample__state="void").exists()
    lines = [json.loads(line) for line in b"".join(exporting.export_lines(project=project)).splitlines()]
    assert [line["state"] for line in lines if line["task"] == "aggregation"] == ["void"]
    again = extract_tuples(project=project, options=ExtractionOptions())
    assert again["instances"] == 0
    event = AuditEvent.objects.get(verb="background.drop")
    assert event.detail["samples"] == n


@pytest.mark.parametrize(("values", "field"), [({"url": "javascript:1"}, "url"), ({"title": "x" * 301}, "title")])
def test_what_staff_types_is_checked(tmp_path, values, field):
    make_instances(tmp_path)
    fields = {"title": "", "url": "", "text": "", **values}
    with pytest.raises(BadInput) as refused:
        backgrounds.change_background(background=get_row("Dunmere"), by=None, **fields)
    assert refused.value.field == field


def test_staff_fill_correct_and_drop_on_the_pages(tmp_path):
    project = make_articles(tmp_path)
    extract_tuples(project=project, options=ExtractionOptions())
    client = signed_in(make_people(1, project, Role.RESEARCHER)[0])
    page = client.get("/p/tesa/entities/?state=to-do").content.decode()
    assert "6 names wait" in page and "Corvin Shipping" in page
    file = SimpleUploadedFile("b.jsonl", write_backgrounds(tmp_path / "b.jsonl").read_bytes())
    client.post("/p/tesa/entities/upload/", {"file": file})
    assert shown_texts("Dunmere") == {"Dunmere is a fishing town on the north coast of Velmark."}
    row = EntityBackground.objects.get(name="Corvin Shipping")
    url = f"/p/tesa/entities/{row.public_id}/"
    assert client.post(url, {"do": "save", "url": "ftp://x", "text": "A"}).status_code == 422
    client.post(url, {"do": "save", "text": "A shipping company."})
    assert shown_texts("Corvin Shipping") == {"A shipping company."}
    assert "0 names wait" in client.get("/p/tesa/entities/").content.decode()
    page = client.post(url, {"do": "drop"}, follow=True).content.decode()
    assert "Corvin Shipping was dropped: 1 instance is void now." in page
    broken = client.post("/p/tesa/entities/upload/", {"file": SimpleUploadedFile("b.jsonl", b"{")})
    assert broken.status_code == 422 and "b.jsonl: line 1" in broken.content.decode()


def test_the_extraction_page_shows_figures_and_starts_a_job(tmp_path):
    project = make_articles(tmp_path)
    client = signed_in(make_people(1, project, Role.RESEARCHER)[0])
    form = {"source": "metadata", "n": 100, "seed": 1}
    page = client.post("/p/tesa/samples/extract-tuples/", {**form, "do": "dry"}).content.decode()
    assert "What would be extracted" in page and "2.00" in page
    assert Sample.objects.count() == 0
    answer = client.post("/p/tesa/samples/extract-tuples/", {**form, "do": "extract"})
    assert answer.status_code == 302 and "/jobs/" in answer["Location"]
    assert "Extract instances" in client.get("/p/tesa/").content.decode()
    assert "Draw samples" not in client.get("/p/tesa/samples/").content.decode()
