"""The page of contrastive examples, its form, the import page, the download, and the calls of the API."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import Contrastive, ContrastiveSet, Job, Role
from annotation.services.contrastives import making, set_numbers, sets
from annotation.services.contrastives.excluding import exclude_contrastives
from annotation.services.contrastives.set_options import SetOptions
from tests.api.world import work_off
from tests.contrastives.factories import make_gold_project, store_contrastives
from tests.tasks.factories import make_people, make_tokens

pytestmark = pytest.mark.django_db
PAGE = "/p/news/contrastives/"


@pytest.fixture
def project():
    return make_gold_project()


@pytest.fixture
def researcher(project):
    return make_people(1, project, Role.RESEARCHER)[0]


@pytest.fixture
def client(researcher):
    client = Client()
    client.force_login(researcher)
    return client


def form_values(**changed):
    options = SetOptions().as_dict()
    return {**options, "inflect": "", **changed}


def test_an_empty_project_says_what_its_golds_are(client):
    page = client.get(PAGE).content.decode()
    assert "No contrastive examples yet" in page and "The project has 3 gold summaries" in page
    assert "The rules are inferred" in page and "Delete the present examples first" not in page


def test_the_form_starts_a_job_and_the_page_shows_what_was_made(client, project):
    answer = client.post(PAGE, form_values(per_gold=12, rules=["G-N", "S-N"]))
    job = Job.objects.get(kind="contrastives")
    assert answer["Location"] == f"/jobs/{job.public_id}/"
    work_off(job)
    page = client.get(PAGE).content.decode()
    current = sets.find_current_set(project)
    assert current.options["rules"] == ["G-N", "S-N"] and current.options["per_gold"] == 12
    row = set_numbers.list_rule_rows(current)[0]
    assert row.rule == "G-N" and row.quota == 5 * 3 and row.drawn == Contrastive.objects.filter(rule="G-N").count()
    assert row.short == row.quota - row.drawn > 0
    for text in ("<ins>", "the gold summary says:", "<del>", "Short", "Same context", "Gold summaries by number"):
        assert text in page
    assert "Delete the present examples first" in page and 'value="12"' in page


def test_other_options_are_refused_beside_the_field_to_tick(client, project):
    making.make_contrastives(project=project, options=SetOptions(per_gold=4))
    answer = client.post(PAGE, form_values(per_gold=5))
    assert answer.status_code == 422 and "made otherwise" in answer.content.decode()
    assert client.post(PAGE, form_values(per_gold=0)).status_code == 422
    assert not Job.objects.exists()
    assert client.post(PAGE, form_values(per_gold=5, replace="on")).status_code == 302


def test_random_examples_are_active_ones_and_differ_by_draw(project):
    rows = store_contrastives(project, per_gold=30)
    exclude_contrastives(project=project, ids=[row.pk for row in rows[:10]], by=None)
    first, same, other = (set_numbers.draw_examples(project, draw) for draw in (0, 0, 1))
    assert len(first) == set_numbers.SHOWN_EXAMPLES and first == same != other
    excluded = {row.public_id for row in rows[:10]}
    assert not excluded & {example.public_id for example in (*first, *other)}
    assert set_numbers.count_states(project) == {"excluded": 10}
    for example in first:
        assert example.pieces[0].was == example.gold.split(" ")[0]


def test_the_page_takes_a_constant_number_of_queries(client, project, django_assert_max_num_queries):
    store_contrastives(project, per_gold=40)
    client.get(PAGE)
    with django_assert_max_num_queries(26):
        client.get(PAGE)


def test_texts_are_escaped(client, project):
    row = store_contrastives(project)[0]
    edits = [{"start": 0, "end": 6, "was": "<b>was", "now": "<script>"}]
    Contrastive.objects.update(text="<script>", edits=edits)
    page = client.get(PAGE).content.decode()
    assert "<script>" not in page.partition('<ol class="contrastives">')[2].partition("</ol>")[0]
    assert "&lt;script&gt;" in page and row.pk


def test_projects_of_other_kinds_are_told_so(client, project):
    project.__class__.objects.filter(pk=project.pk).update(kind="choosing")
    assert "Not for this project" in client.get(PAGE).content.decode()


def test_an_uploaded_set_is_imported_by_a_job_whose_page_lists_faults(client, project):
    good = {"sample_id": "news-0#1", "rule": "S-V", "text": "A judge arrested young officers."}
    answer = client.post(f"{PAGE}import/", {"file": SimpleUploadedFile("s.jsonl", json.dumps(good).encode())})
    job = Job.objects.get(kind="contrastives-import")
    assert answer["Location"] == f"/jobs/{job.public_id}/"
    work_off(job)
    assert job.state == "done" and Contrastive.objects.get().text == good["text"]
    bad = SimpleUploadedFile("b.jsonl", json.dumps({**good, "rule": "Z"}).encode())
    answer = client.post(f"{PAGE}import/", {"file": bad})
    assert answer.status_code == 422 and "made otherwise" in answer.content.decode()
    bad.seek(0)
    client.post(f"{PAGE}import/", {"file": bad, "replace": "on"})
    job = Job.objects.latest("pk")
    work_off(job)
    assert job.state == "failed" and job.faults[0]["line"] == 1 and job.faults[0]["field"] == "rule"
    assert "is none of G-N" in client.get(f"/jobs/{job.public_id}/").content.decode()
    assert Contrastive.objects.get().text == good["text"]


def test_the_file_is_downloaded_as_lines(client, project):
    assert client.get(f"{PAGE}file/").status_code == 404
    store_contrastives(project)
    answer = client.get(f"{PAGE}file/")
    lines = b"".join(answer.streaming_content).splitlines()
    assert len(lines) == 6 and json.loads(lines[0])["tuple"].startswith("news-0#0:")
    assert "news-contrastives.jsonl" in answer["Content-Disposition"]


def test_the_api_lists_and_starts(project, researcher):
    store_contrastives(project)
    (token,) = make_tokens([researcher])
    client = Client(headers={"Authorization": f"Token {token}"})
    url = "/api/v1/projects/news/contrastives/"
    listed = client.get(url, {"rule": "S-N"}).json()
    assert listed["count"] == 3 and {row["rule"] for row in listed["results"]} == {"S-N"}
    assert listed["results"][0]["sample_id"] == "news-0#0" and listed["results"][0]["edits"][0]["now"] == "Word0"
    assert client.get(url, {"rule": "Z"}).status_code == 400
    assert client.post(url, {}, content_type="application/json").status_code == 409
    answer = client.post(url, {"replace": True, "per_gold": 4, "rules": ["S-N"]}, content_type="application/json")
    assert answer.status_code == 202
    work_off(Job.objects.get())
    sets_listed = client.get("/api/v1/projects/news/contrastive-sets/").json()["results"]
    assert [row["origin"] for row in sets_listed] == ["made", "import"]
    assert sets_listed[0]["options"]["rules"] == ["S-N"] and sets_listed[1]["replaced_at"]
    assert ContrastiveSet.objects.get(replaced_at=None).options["per_gold"] == 4


def test_a_dry_run_shows_counts_and_stores_nothing(client, project):
    answer = client.post(PAGE, form_values(per_gold=12, rules=["G-N", "S-N"], do="dry", estimate=3))
    page = " ".join(answer.content.decode().split())
    plan = making.plan_contrastives(project=project, options=SetOptions(per_gold=12, rules=("G-N", "S-N"), estimate=3))
    assert (
        "Dry run: nothing was stored" in page
        and f"Gold summaries tried: 3. Examples of each: {plan.per_gold:.1f}" in page
    )
    assert "Shares were estimated from 3 of them" in page and "What the rules would give" in page
    planned = page.partition('id="t-planned"')[2].partition("</table>")[0]
    assert "G-N" in planned and "S-N" in planned and "S-V" not in planned
    assert not Contrastive.objects.exists() and not ContrastiveSet.objects.exists() and not Job.objects.exists()


def test_sources_can_be_left_out_by_page_and_api(client, project, researcher):
    answer = client.post(PAGE, form_values(without="news-9\n"))
    assert answer.status_code == 422 and "not in the project: news-9" in answer.content.decode()
    answer = client.post(PAGE, form_values(without="news-0\n"))
    assert answer.status_code == 422 and "other sources have no gold summary" in answer.content.decode()
    api = Client(headers={"Authorization": f"Token {make_tokens([researcher])[0]}"})
    address = "/api/v1/projects/news/contrastives/"
    body = {"without": ["news-0"], "dry_run": True}
    assert api.post(address, body, "application/json").status_code == 422
    planned = api.post(address, {"dry_run": True, "estimate": 500}, "application/json")
    assert planned.status_code == 200 and planned.json()["golds"] == planned.json()["tried"] == 3
    assert planned.json()["estimated"] == 3 and planned.json()["expected"] > 0 and not ContrastiveSet.objects.exists()


def test_a_set_of_before_the_option_existed_is_continued(project):
    making.make_contrastives(project=project, options=SetOptions(per_gold=4))
    current = sets.find_current_set(project)
    current.options = {name: value for name, value in current.options.items() if name != "without"}
    current.save()
    assert making.make_contrastives(project=project, options=SetOptions(per_gold=4))["examples"] == 0
    assert not sets.is_made_with(current, SetOptions(per_gold=4, without=("news-0",)))


def test_an_example_is_excluded_on_the_page_and_counts_again(client, project):
    rows = store_contrastives(project)
    chosen = str(rows[0].public_id)
    assert chosen in client.get(PAGE).content.decode()
    page = client.post(f"{PAGE}exclude/", {"example": chosen, "do": "exclude", "draw": "3"}, follow=True)
    assert "The example is excluded." in page.content.decode() and page.redirect_chain[0][0].endswith(
        "draw=3#examples-title"
    )
    assert chosen not in client.get(PAGE).content.decode()
    excluded = client.get(f"{PAGE}?state=excluded").content.decode()
    assert "Excluded examples" in excluded and excluded.count('name="example"') == 1 and chosen in excluded
    client.post(f"{PAGE}exclude/", {"example": chosen, "do": "include"})
    assert Contrastive.objects.get(pk=rows[0].pk).state == "active"
    assert client.post(f"{PAGE}exclude/", {"example": "x"}).status_code == 404


def test_the_api_imports_a_set_and_excludes_examples(project, researcher):
    api = Client(headers={"Authorization": f"Token {make_tokens([researcher])[0]}"})
    address = "/api/v1/projects/news/contrastives/"
    line = {"sample_id": "news-0#1", "rule": "S-V", "text": "A judge arrested young officers."}
    answer = api.post(f"{address}import/", {"file": SimpleUploadedFile("s.jsonl", json.dumps(line).encode())})
    assert answer.status_code == 202
    work_off(Job.objects.get(kind="contrastives-import"))
    row = Contrastive.objects.get()
    assert row.text == line["text"]
    again = api.post(f"{address}import/", {"file": SimpleUploadedFile("s.jsonl", json.dumps(line).encode())})
    assert again.status_code == 409
    body = {"ids": [str(row.public_id)], "excluded": True}
    assert api.post(f"{address}exclude/", body, "application/json").json() == {"changed": 1}
    listed = api.get(f"{address}?state=excluded").json()["results"]
    assert [entry["id"] for entry in listed] == [str(row.public_id)]
    assert api.post(f"{address}exclude/", {**body, "excluded": False}, "application/json").json() == {"changed": 1}
