"""Values without an order through the site: declared in the form, drawn, imported, asked, exported and rated."""

import html
import json
import re

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from annotation.models import Membership, Role, Sample
from annotation.services.exports import exporting
from annotation.services.exports.export_plan import ExportOptions
from annotation.services.people import projects
from annotation.services.sampling import draw as sample_draw
from annotation.services.statistics.building import build_statistics
from epitome.prompts.chat import summary_messages
from epitome.schema import parse_schema
from epitome.systems.protocol import Request
from tests.pages.forms import fill_form, read_form
from tests.schema.factories import ASPECT
from tests.tasks.factories import pass_gate

HEAD = 'key = "papers"\nname = "Papers"\ndomain = "document"\nlanguage = "en"\n'
GUIDES = {
    "challenge": "What the paper is up against.",
    "approach": "What the authors do about it.",
    "outcome": "What they find.",
}
EDITOR = "/p/papers/schema/edit/"


def import_rows(project, folder, rows, name, columns="auto"):
    file = folder / name
    file.write_text("\n".join(map(json.dumps, rows)))
    call_command("import_sources", project.slug, str(file), "--with-references", "--map", columns)


def sign_in(project, role):
    user = User.objects.create_user(str(role))
    Membership.objects.create(project=project, user=user, role=role)
    pass_gate(project, user)
    client = Client()
    client.force_login(user)
    return client


def shown(answer) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


@pytest.fixture
def project(db, tmp_path):
    papers = projects.create_project(slug="papers", schema_text=HEAD + ASPECT)
    rows = [{"id": f"d{i}", "text": "Bridges rust in salt air. We paint them. " * 100} for i in range(6)]
    import_rows(papers, tmp_path, rows, "sources.jsonl")
    return papers


def test_they_are_drawn_asked_and_exported(project):
    sample_draw.sample_attributes(project=project, options=sample_draw.default_options(project, seed=3))
    annotator = sign_in(project, Role.ANNOTATOR)

    task = annotator.post("/api/v1/projects/papers/assignments/claim/").json()
    (aspect,) = task["attributes"]
    page = shown(annotator.get(task["page"]))
    payload = {
        "summary": "Bridges rust.",
        "title": "Rust",
        "relevant_segments": [1],
        "spans": [],
        "confirmed_segments": True,
        "reread": True,
    }
    sent = annotator.post(
        f"/api/v1/assignments/{task['id']}/submit/",
        json.dumps({"payload": payload}),
        content_type="application/json",
        headers={"Idempotency-Key": "k1"},
    )
    exported = b"".join(exporting.export_lines(project=project, options=ExportOptions()))
    lines = [json.loads(line) for line in exported.split(b"\n") if line]

    assert {sample.values["aspect"] for sample in Sample.objects.filter(project=project)} == set(GUIDES)
    assert aspect["kind"] == "categories" and aspect["value_label"] in page and GUIDES[aspect["value"]] in page
    assert sent.status_code == 201, sent.content
    (written,) = [line for line in lines if line["task"] == "summary" and line["text"]]
    assert written["attributes"] == {"aspect": aspect["value"]}
    assert '"Outcome"' in json.dumps(build_statistics(project))


def test_summaries_are_imported_by_their_value_in_any_case(project, tmp_path):
    row = {"id": "d9", "text": "Bridges rust in salt air.", "summary": "Bridges rust.", "aspect": "Challenge"}
    import_rows(project, tmp_path, [row], "rows.jsonl", "text=text,summary=summary,attribute:aspect=aspect")
    assert Sample.objects.get(project=project).values == {"aspect": "challenge"}


def test_the_draw_says_that_there_are_no_pairs(project):
    admin = sign_in(project, Role.ADMIN)
    url = "/p/papers/samples/draw/"
    form = {"algorithm": "uniform", "seed": 7, "per_2000_words": 8, "group_size": 2, "pace": 10}
    preview = admin.post(url, {**form, "do": "dry"})
    assert "n/a (its values have no order)" in shown(preview)


def test_the_editor_asks_for_a_baseline_of_ordered_values_alone(project):
    admin = sign_in(project, Role.ADMIN)
    form = admin.get(EDITOR)
    assert "Values, lowest first" not in shown(form) and "Baseline for comparisons" not in shown(form)

    ordered = admin.post(EDITOR, {**fill_form(form, "attributes", {"a0-kind": "ordinal"}), "do": "preview"})
    assert "Values, lowest first" in shown(ordered) and "Baseline for comparisons" in shown(ordered)

    edits = {"a0-anchor": "1", "a0-kind": "categories", "a0-label": "Question"}
    data = {**read_form(ordered, "attributes"), **edits}
    assert "Version 2 published" in shown(admin.post(EDITOR, {**data, "do": "publish"}, follow=True))
    text = project.schema_versions.order_by("-number").first().text
    assert 'kind = "categories"' in text and "anchor" not in text
    assert "values without an order" in shown(admin.get("/p/papers/schema/"))


def test_a_prompt_names_the_value_and_explains_them_all():
    schema = parse_schema(HEAD + ASPECT)
    request = Request("d0#0", ({"text": "Bridges rust."},), {"aspect": "outcome"}, schema)
    messages, _cut = summary_messages(request, request.values)
    prompt = messages[-1]["content"]
    assert "Aspect : outcome" in prompt and all(guide in prompt for guide in GUIDES.values())
