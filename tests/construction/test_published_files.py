"""From published files to Table 3, in one piece: import by command, page and API, two systems and a judge, tables,
changed requests as jobs, and a round of people."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from annotation.jobs import list_open_jobs, run_job
from annotation.models import Membership, Project, Role, Sample
from evaluation.models import Round
from evaluation.services.monitoring import round_control
from evaluation.services.reports import report_jobs
from evaluation.services.rounds import instructions
from modelbridge.models import Run
from modelbridge.services.construction.set_tables import count_sets
from modelbridge.services.systems import systems
from tests.chat.stub import Stub, completion
from tests.construction.published_files import COLUMN_OF_FIELD, write_published_files
from tests.pages.import_steps import run_last, shown
from tests.reports.stored_tables import compute_tables, read_tables, work_off_tables
from tests.rounds.factories import rate_all

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]
WRITER = '[system]\nkey = "{key}"\nkind = "{kind}"\n[options]\nserver = "lab"\nmodel = "tiny"\nattempts = 1\n'
ASKS = "length,keywords,readability,focus"


@pytest.fixture
def server(monkeypatch):
    """Answers the judge's question by whether the text has a digit, and everything else with a summary that has the
    keywords and is about as long as asked for."""

    def answer(asked):
        text = asked["messages"][-1]["content"]
        if "conceptually focused" in text:
            judged = text.rsplit("Summary:", 1)[-1] if "Summary:" in text else text[:200]
            return completion("empirical" if re.search(r"\d", judged) else "conceptual.")
        keywords = re.findall(r'"([^"]+)"', text)
        words = int(match[1]) if (match := re.search(r"(\d+)-\d+ words|(\d+) to", text)) else 30
        return completion(" ".join([*keywords, *["word"] * max(5, words)]) + ".")

    stub = Stub()
    stub.answer = answer
    monkeypatch.setenv("EPITOME_CHAT_SERVERS", f"lab={stub.base}")
    yield stub
    stub.close()


def work_off():
    while jobs := list_open_jobs():
        for job_id, _queue in jobs:
            run_job(job_id)


def upload(path):
    return SimpleUploadedFile(path.name, path.read_bytes())


def import_all(files, project, client):
    """Documents and the first set by command, the second by page, the third by API."""
    texts = files["documents.jsonl"]
    call_command("import_sources", "papers", str(texts))
    mapping = [f"{field}={column}" for field, column in COLUMN_OF_FIELD.items()]
    call_command(
        "import_sources", "papers", str(files["readability/train.csv"]), "--add-summaries",
        "--map", ",".join(mapping), "--text-from", str(texts),
    )  # fmt: skip
    step = client.post("/p/papers/import/", {"file": [upload(files["focus/val.csv"])], "texts": upload(texts)})
    page = client.get(step.headers["Location"])
    assert "Focus: High (empirical)" in shown(page)  # the mapping of the first file was kept
    client.post(step.headers["Location"], {"permission": "none", "add_summaries": "on"})
    assert run_last(project).state == "done"
    body = {
        "file": upload(files["compositional/test.csv"]), "text_from": upload(texts), "add_summaries": "true",
        "mapping": json.dumps(COLUMN_OF_FIELD),
    }  # fmt: skip
    assert client.post("/api/v1/projects/papers/imports/", body).status_code == 202
    job = run_last(project)
    assert (job.state, job.result["references"]) == ("done", 24), job.error


def test_from_published_files_to_table_3_and_a_round(tmp_path, client, server, capsys):
    files = write_published_files(tmp_path)
    call_command("create_project", "papers", "--schema", "ccsbench")
    project = Project.objects.get()
    client.force_login(User.objects.create_superuser("admin"))
    import_all(files, project, client)
    counts = {place: tuple(count) for place, count in count_sets(project).items()}
    assert counts[("readability", "train")] == (12, 6) and counts[("compositional", "test")] == (24, 12)
    assert set(counts) == {("readability", "train"), ("focus", "dev"), ("compositional", "test")}

    run_systems(tmp_path, client, project)
    judge_texts(tmp_path, client, project)
    lead, chat = Run.objects.writing().order_by("pk")
    check_tables(client, lead, chat, capsys)
    change_requests(client, chat, capsys, server)
    rate_round(tmp_path, client, project, capsys)


def run_systems(tmp_path, client, project):
    """The lead by command, the chat system by API, both over the compositional test set, which crosses splits."""
    call_command("run_system", "lead", "papers", "--split", "test", "--asks", ASKS)
    systems.register_system(project=project, toml_text=WRITER.format(key="writer", kind="chat"), by=None)
    body = {"system": "writer", "split": "test", "asks": ASKS}
    answer = client.post("/api/v1/projects/papers/runs/", body, content_type="application/json")
    assert answer.status_code == 202, answer.json()
    work_off()
    runs = Run.objects.writing()
    assert [(run.state, run.n_samples) for run in runs.order_by("pk")] == [("done", 24)] * 2


def judge_texts(tmp_path, client, project):
    """Over the human summaries by command, over both runs by page."""
    config = tmp_path / "judge.toml"
    config.write_text(WRITER.format(key="judge", kind="chat-judge"))
    call_command("run_system", str(config), "papers", "--over", "references", "--preset", "focus")
    judge = systems.revision_of(project, "judge").system
    for run in Run.objects.writing().order_by("pk"):
        form = {"over": f"run:{run.public_id}", "preset": "focus", "seed": "0"}
        answer = client.post(f"/p/papers/systems/{judge.public_id}/", form)
        assert answer.status_code == 302, shown(answer)
        work_off()
    judgings = Run.objects.filter(revision__system=judge)
    assert [run.state for run in judgings] == ["done"] * 3


def check_tables(client, lead, chat, capsys):
    """Table 3 by command, API and page, with numbers in every column."""
    capsys.readouterr()
    call_command("paper_tables", "papers", str(lead.public_id), f"run:{chat.public_id}")
    text = capsys.readouterr().out
    assert "A1 Flan-T5-XL zero-shot" in text and "not validated by hand" in text
    answer = read_tables(client, f"/api/v1/projects/papers/tables/?run={lead.public_id}&run={chat.public_id}")
    assert answer["runs"] == [str(lead.public_id), str(chat.public_id)]
    table = next(table for table in answer["tables"] if table["key"] == "ccsbench")
    by_key = {row[1]["value"]: row[2:] for row in table["rows"][:2]}
    assert all("value" in cell for cell in by_key[str(chat)]), by_key
    page = compute_tables(client, f"/p/papers/tables/?run={lead.public_id}&run={chat.public_id}")
    assert 'id="t-ccsbench"' in page
    assert client.post(f"/p/papers/runs/scores/?run={chat.public_id}").status_code == 302
    work_off_tables()
    assert "F1 low" in client.get(f"/p/papers/runs/{chat.public_id}/").content.decode()


def change_requests(client, chat, capsys, server):
    """Drawn and started by API, worked on by jobs, read by page with its figure, and printed."""
    n_asked = len(server.asked)
    path = f"/api/v1/runs/{chat.public_id}/changes/"
    study = client.post(path, {"n": 4, "seed": 2}, content_type="application/json").json()
    assert [run["attribute"] for run in study["runs"]] == ["length", "keywords", "readability", "focus"]
    work_off()
    assert len(server.asked) == n_asked + sum(run["n_samples"] for run in study["runs"])
    (study,) = client.get(path).json()["studies"]
    assert study["ended"] and study["tables"][0]["key"] == "metric-amplitude"
    page = client.get(f"/p/papers/runs/{chat.public_id}/changes/?n=4&seed=2").content.decode()
    assert "change amplitude of the metrics" in page and "<svg" in page
    capsys.readouterr()
    call_command(
        "dependency_study", "papers", f"run:{chat.public_id}", "--measure", "ca", "--n", "4", "--seed", "2",
    )  # fmt: skip
    assert "Len" in capsys.readouterr().out and len(server.asked) == n_asked + 16


def rate_round(tmp_path, client, project, capsys):
    """The form of the paper, written by the preset, launched by command, rated by two, closed and reported."""
    raters = [User.objects.create_user(f"rater{number}") for number in (1, 2)]
    for rater in raters:
        Membership.objects.create(project=project, user=rater, role=Role.RATER)
    capsys.readouterr()
    call_command("round_preset", "papers", "ccsbench-focus")
    text = capsys.readouterr().out
    config = tmp_path / "round.toml"
    assert 'asks = ["focus"]' in text
    content = 'raters_per_item = 2\nraters = ["rater1", "rater2"]'
    config.write_text(text.replace("raters_per_item = 3", content))
    call_command("launch_round", "papers", str(config))
    round_ = Round.objects.get()
    for rater in raters:
        instructions.confirm_instructions(round_=round_, rater=rater, shown_hash=instructions.instructions_hash(round_))
        assert len(rate_all(round_, rater)) == round_.n_items
    round_control.apply_action(round_=round_, action="close", by=None)
    round_control.apply_action(round_=round_, action="unblind", by=None)
    capsys.readouterr()
    call_command("report", "papers", round_.name, "--format", "csv")
    report = capsys.readouterr().out
    assert "CTRL" in report and "FAC" in report and ": wins" not in report
    story = report_jobs.make_report(round_)["story"]
    said = ["".join(piece[0] for piece in finding["parts"]) for finding in story["findings"]]
    assert "CTRL is " in said[0] and "for each" in said[0] and "majority" in said[1], said
    sizes = client.get("/p/papers/construction/").content.decode()
    assert "Sizes of the sets" in sizes
    assert Sample.objects.filter(project=project).exclude(split="").exists()
