"""The whole construction on thirty papers, to the compositional test set: by command and by API."""

import json

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from annotation.jobs import run_job
from annotation.models import Annotation, Job, Sample
from annotation.services.accounts.api_tokens import create_token
from modelbridge.models import Rewrite
from modelbridge.services.systems import systems
from tests.construction.conftest import TOML, make_project
from tests.construction.make_papers import list_papers, write_papers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]
ORDER = ("readability", "focus", "keywords", "length", "splits", "compositional")


def check_test_set():
    """All four attributes on both texts of every pair, readability normal and high in turn."""
    rows = Annotation.objects.filter(sample__constructed__step__key="compositional", sample__document__split="test")
    samples = [row.sample for row in rows.select_related("sample__group", "sample__document")]
    assert samples and len(samples) % 2 == 0
    assert all(set(sample.attributes) == {"length", "keywords", "readability", "focus"} for sample in samples)
    readabilities = [sample.attributes["readability"] for sample in samples]
    assert readabilities.count("normal") == readabilities.count("high") == len(samples) / 2


def test_by_command(tmp_path, server, capsys):
    path, config = write_papers(tmp_path / "papers.jsonl", list_papers()), tmp_path / "rewriter.toml"
    config.write_text(TOML)
    call_command("create_project", "papers", "--schema", "ccsbench")
    call_command("import_papers", "papers", str(path))
    capsys.readouterr()

    def construct(*arguments):
        call_command("construct_ccsbench", "papers", *arguments)
        return capsys.readouterr().out

    dry = construct("readability", "--system", str(config), "--dry-run")
    assert "at most 30 calls" in dry and "EUR" in dry and not server.asked and not Rewrite.objects.exists()
    assert json.loads(construct("focus", "--system", "rewriter", "--dry-run", "--json"))["calls"] == 60

    for key in ORDER:
        construct(key, *(["--system", "rewriter"] if key in ("readability", "focus", "compositional") else []))
    overview = json.loads(construct("--json"))["steps"]
    assert [(step["key"], step["state"]) for step in overview] == [(key, "done") for key in ORDER]
    assert overview[0]["stored"] == 60 and "readability: done; 60 summaries" in construct()
    check_test_set()
    with pytest.raises(CommandError, match="complete"):
        construct("readability", "--system", "rewriter")
    n_asked = len(server.asked)
    out = tmp_path / "benchmark.jsonl"
    call_command("export", "papers", "--output", str(out))
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    sets = {
        json.loads(line["raw"])["raw_extra"].get("set") for line in lines if line["task"] == "summary" and line["raw"]
    }
    assert sets == {None, *ORDER} - {"splits"}
    assert len(server.asked) == n_asked == Rewrite.objects.count()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("readability",), "Choose a system"),
        (("length",), "First come the steps: readability, focus"),
        (("readability", "--system", "lead"), "kind chat-rewrite"),
        (("readability", "--system", "none"), "no system"),
        (("keywords", "--n", "5"), "no option n"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(project, server, arguments, message):
    with pytest.raises(CommandError, match=message) as refused:
        call_command("construct_ccsbench", "papers", *arguments)
    assert "\n" not in str(refused.value) and refused.value.returncode == 1


def test_a_project_of_other_attributes_is_refused():
    call_command("create_project", "news", "--schema", "macsum-doc")
    with pytest.raises(CommandError, match="preset ccsbench"):
        call_command("construct_ccsbench", "news", "keywords")


def test_by_api(tmp_path, server, client):
    project = make_project(tmp_path, n=30)
    admin = User.objects.create_superuser("admin")
    _token, plain = create_token(user=admin, name="script", scope="write")
    base = "/api/v1/projects/papers/construction/"

    def call(method, path, body=None):
        headers = {"Authorization": f"Token {plain}"}
        return getattr(client, method)(path, body, content_type="application/json", headers=headers)

    systems.register_system(project=project, toml_text=TOML, by=None)
    estimate = call("post", base, {"step": "readability", "system": "rewriter", "dry_run": True})
    assert estimate.status_code == 200 and estimate.json()["calls"] == 30 and not server.asked
    for key in ORDER:
        answer = call("post", base, {"step": key, "system": "rewriter", "seed": 3})
        assert answer.status_code == 202, answer.content
        for job in Job.objects.filter(kind="construction", state="queued"):
            run_job(job.pk)
    overview = call("get", base).json()
    assert [step["state"] for step in overview["steps"]] == ["done"] * 6
    assert {table["key"] for table in overview["tables"]} == {"ccsbench-sizes", "ccsbench-validation"}
    check_test_set()
    assert call("post", base, {"step": "readability", "system": "rewriter"}).status_code == 409
    assert call("post", base, {"step": "nothing"}).status_code == 404
    assert call("post", f"{base}stop/", {"step": "focus"}).status_code == 409

    rewrites = call("get", f"{base}rewrites/?step=compositional&state=done").json()
    built = Rewrite.objects.filter(step__key="compositional", constructed__isnull=False)[0]
    call_id = next(row["id"] for row in rewrites["results"] if row["id"] == str(built.public_id))
    verdict = call("post", f"/api/v1/rewrites/{call_id}/verdict/", {"aspect": "summary", "verdict": "drop"})
    assert verdict.json() == {"aspect": "summary", "verdict": "drop"}
    assert Sample.objects.filter(state="void").count() == 1
    assert (
        call("post", f"/api/v1/rewrites/{call_id}/verdict/", {"aspect": "empirical", "verdict": "drop"}).status_code
        == 422
    )


def test_a_constructed_benchmark_goes_through_an_export_and_an_import_unchanged(project, constructed, tmp_path):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    call_command("export", "papers", "--output", str(first))
    call_command("create_project", "copy", "--schema", "ccsbench")
    call_command("import_sources", "copy", str(first))
    call_command("export", "copy", "--output", str(second))
    plain = [path.read_bytes().replace(b'"project":"copy"', b'"project":"papers"') for path in (first, second)]
    assert plain[0] == plain[1]
