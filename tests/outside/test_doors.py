"""The ways in for answers of other tools: the command, the call, and the pages of admins."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Role
from evaluation.models import Judgement
from evaluation.services.monitoring import round_control
from evaluation.services.rating import outside_raters
from tests.outside.factories import (
    KILLED,
    WOLF,
    factgenie_entry,
    judged,
    outside_project,
    outside_round,
    pearmut_file,
)
from tests.rounds.factories import member

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_(db):
    return outside_round(outside_project())


def sign_in(round_, role=Role.ADMIN):
    client = Client()
    client.force_login(member(round_.project, f"the-{role}", role))
    return client


def upload(*entries, name="a.jsonl"):
    return SimpleUploadedFile(name, "\n".join(map(json.dumps, entries)).encode())


def test_the_command_counts_first_and_then_stores(round_, tmp_path, capsys):
    path = str(pearmut_file(tmp_path, judged(), judged("shy-fox", output=WOLF.replace("June", "July"))))
    call_command("import_judgments", "wolves", "Errors", path, "--dry-run")
    printed = capsys.readouterr().out
    counts = "1 rater, 1 item, 1 rating, 1 marked error, 1 other answer, 0 notes"
    assert printed.startswith(f"would come in: {counts}\n")
    assert "severity:major (1) becomes major; minor, major" in printed
    assert "after “through the valley in Ju”, the round has “ne.”, the file “ly.”" in printed
    assert not Judgement.objects.exists()
    call_command("import_judgments", "wolves", "Errors", path, "--json")
    assert json.loads(capsys.readouterr().out)["ratings"] == 1 and Judgement.objects.count() == 2


def test_the_command_asks_for_words_and_refuses_what_it_does_not_know(round_, tmp_path, capsys):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(factgenie_entry()))
    with pytest.raises(CommandError, match="say with --map what becomes of severity:"):
        call_command("import_judgments", "wolves", "Errors", str(path), "--dry-run")
    with pytest.raises(CommandError, match="map: Say what the round calls these: severity:"):
        call_command("import_judgments", "wolves", "Errors", str(path))
    with pytest.raises(CommandError, match="is no mapping"):
        call_command("import_judgments", "wolves", "Errors", str(path), "--map", "minor")
    with pytest.raises(CommandError, match="no round named 'Other'"):
        call_command("import_judgments", "wolves", "Other", str(path))
    with pytest.raises(CommandError, match="there is no such file"):
        call_command("import_judgments", "wolves", "Errors", str(tmp_path / "none"))
    call_command("import_judgments", "wolves", "Errors", str(path), "--map", "severity:=minor")
    assert Judgement.objects.count() == 1


def test_the_call_previews_imports_lists_and_removes(round_):
    client, path = sign_in(round_), reverse("api-round-outside", args=[round_.public_id])
    first = client.post(path, {"file": upload(factgenie_entry()), "dry_run": "true"})
    assert first.status_code == 200 and not Judgement.objects.exists()
    words = {word["word"]: (word["becomes"], word["may_become"]) for word in first.json()["words"]}
    assert words == {"severity:": (None, ["minor", "major"])}
    refused = client.post(path, {"file": upload(factgenie_entry())})
    assert refused.status_code == 422 and refused.json()["words"] == ["severity:"]
    chosen = json.dumps({"severity:": "major"})
    stored = client.post(path, {"file": upload(factgenie_entry()), "map": chosen})
    assert (stored.status_code, stored.json()["ratings"], stored.json()["tools"]) == (200, 1, ["factgenie"])
    (rater,) = client.get(path).json()["raters"]
    assert (rater["tool"], rater["items"]) == ("factgenie", 1) and "reader" not in rater["rater"]
    remove = reverse("api-round-outside-remove", args=[round_.public_id])
    gone = client.post(remove, {"rater": rater["rater"]}, content_type="application/json")
    assert gone.status_code == 204 and client.get(path).json()["raters"] == []


def check_address(client, round_, *files):
    answer = client.post(reverse("round-import", args=["wolves", round_.public_id]), {"file": files})
    assert answer.status_code == 302
    return answer.url


def test_the_page_counts_asks_for_words_and_stores(round_):
    client = sign_in(round_)
    address = check_address(
        client, round_, upload(factgenie_entry(KILLED, options=[{"label": "overall", "value": "ok"}]))
    )
    page = client.get(address).content.decode()
    assert "No severity" in page and "Leave out" in page and not Judgement.objects.exists()
    unanswered = client.post(address, {"word-0": "-", "word-1": ""})
    assert unanswered.status_code == 422 and not Judgement.objects.exists()
    shown = client.post(address, {"word-0": "-", "word-1": "minor", "show": "1"}).content.decode()
    assert "answers to “overall”" in shown and not Judgement.objects.exists()
    done = client.post(address, {"word-0": "-", "word-1": "minor"}, follow=True)
    text = done.content.decode()
    assert "Imported: 1 rating by 1 outside rater, from factgenie." in text and "outside rater 1" in text
    assert Judgement.objects.count() == 1
    first_step = reverse("round-import", args=["wolves", round_.public_id])
    assert client.get(address).url == first_step  # the upload is gone


def test_several_files_come_in_together(round_):
    client = sign_in(round_)
    files = [upload(factgenie_entry(rater=f"reader{n}"), name=f"{n}.jsonl") for n in (1, 2)]
    address = check_address(client, round_, *files)
    client.post(address, {"word-0": "major"})
    assert [row.items for row in outside_raters.list_outside_raters(round_)] == [1, 1]


def test_an_admin_removes_the_answers_of_one_outside_rater_and_a_researcher_does_not(round_):
    client = sign_in(round_)
    client.post(check_address(client, round_, upload(factgenie_entry())), {"word-0": "major"})
    (rater,) = outside_raters.list_outside_raters(round_)
    page = reverse("round", args=["wolves", round_.public_id])
    other = sign_in(round_, Role.RESEARCHER)
    assert "Remove answers" not in other.get(page).content.decode()
    other.post(page, {"do": "remove-outside", "rater": rater.account})
    assert Judgement.objects.count() == 1
    client.post(page, {"do": "remove-outside", "rater": rater.account})
    assert not Judgement.objects.exists()


def test_a_file_that_cannot_be_read_is_refused_with_its_place(round_):
    client = sign_in(round_)
    address = check_address(client, round_, upload(factgenie_entry(), {"id": "x"}))
    page = client.get(address).content.decode()
    assert "a.jsonl, line 2: is no judgment of Pearmut or factgenie" in page and 'class="button primary"' not in page
    empty = check_address(client, round_, SimpleUploadedFile("b.jsonl", b"\n"))
    assert client.get(empty).status_code == 302


def test_the_page_of_a_closed_round_says_why_nothing_comes_in(round_):
    round_control.apply_action(round_=round_, action="close", by=None)
    page = sign_in(round_).get(reverse("round-import", args=["wolves", round_.public_id])).content.decode()
    assert "Reopen it to import answers." in page and '<input type="file"' not in page
