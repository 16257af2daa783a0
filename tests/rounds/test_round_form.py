"""The form of a draft, its check as one types, and the rater's page as a preview."""

import html
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Role
from evaluation.models import Item, Round, RoundText
from evaluation.services.rounds.launch import launch_round, make_draft
from tests.pages.forms import fill_form, read_form
from tests.rounds.factories import CONFIG, make_run, project_with_gold, raters_of
from tests.rounds.judged import make_judge
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db
MORE = '\n[[target]]\nsystem = "lead"   # its newest run\n'


def shown(answer) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


@pytest.fixture
def admin():
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_superuser("admin"))
    return client


@pytest.fixture
def draft(admin):
    project = project_with_gold()
    raters_of(project)
    make_run(project, "lead", text="The council voted on topic 1.")
    text = CONFIG.format(name="First", template="macsum-yes-no", n_raters=2, head="apart = 3  # far", n=4, more=MORE)
    return make_draft(project=project, text=text, by=None)


def url(round_, more=""):
    return f"/p/news/rounds/{round_.public_id}/{more}"


def test_a_draft_is_opened_again_with_all_its_values(admin, draft):
    data = read_form(admin.get(url(draft)), "design")
    assert (data["name"], data["n"], data["raters_per_item"], data["seed"]) == ("First", "4", "2", "7")
    assert data["gold"] == "on" and "Also rated, from the TOML text: newest runs of lead" in shown(
        admin.get(url(draft))
    )


def test_a_change_by_the_form_keeps_the_rest_of_the_text(admin, draft):
    config_toml_before = draft.config_toml
    admin.post(url(draft), {**fill_form(admin.get(url(draft)), "design", {"n": "6"}), "do": "form"})
    draft.refresh_from_db()
    assert draft.config_toml == config_toml_before.replace("n = 4", "n = 6")


def test_additional_ratings_are_an_option_of_the_form(admin, draft):
    page = admin.get(url(draft))
    assert read_form(page, "design")["extra_ratings"] == "0" and "These ratings are shown to whoever" in shown(page)
    data = {**fill_form(page, "design", {"extra_ratings": "5"}), "do": "form"}
    assert "all raters rate every item. Add a rater" in shown(admin.post(url(draft), data, follow=True))
    draft.refresh_from_db()
    assert "extra_ratings = 5" in draft.config_toml and draft.rules.extra_ratings == 5
    make_people(1, draft.project, Role.RATER, start=9)
    page = admin.get(url(draft))
    assert "Additional ratings at most 5" in shown(page) and "all raters rate every item" not in shown(page)
    assert read_form(page, "design")["extra_ratings"] == "5"


def test_additional_ratings_beside_a_judge_are_refused_at_the_form(admin, draft):
    make_judge(draft.project, "model")
    data = {**fill_form(admin.get(url(draft)), "design", {"extra_ratings": "5"}), "do": "form"}
    answer = admin.post(url(draft), {**data, "judges": ["model"]})
    draft.refresh_from_db()
    assert "does not go with [judge]" in shown(answer) and "extra_ratings" not in draft.config_toml


def test_a_draft_that_was_changed_meanwhile_is_not_overwritten(admin, draft):
    data = fill_form(admin.get(url(draft)), "design", {"n": "6"})
    admin.post(url(draft), {"do": "change", "config": draft.config_toml.replace("n = 4", "n = 5")})
    answer = admin.post(url(draft), {**data, "do": "form"})
    draft.refresh_from_db()
    assert answer.status_code == 422 and "changed meanwhile" in shown(answer) and "n = 5" in draft.config_toml


def test_a_fault_in_the_form_is_said_at_its_field(admin, draft):
    answer = admin.post(url(draft), {**fill_form(admin.get(url(draft)), "design", {"n": "0"}), "do": "form"})
    draft.refresh_from_db()
    assert answer.status_code == 422 and 'id="id_n_error"' in answer.content.decode() and "n = 4" in draft.config_toml


def test_the_check_follows_the_form_and_stores_nothing(admin, draft):
    config_toml_before = draft.config_toml
    data = fill_form(admin.get(url(draft)), "design", {"n": "6"})
    words = shown(admin.post("/p/news/rounds/preview/", data))
    assert "Items 12 " in words and "Total hours" in words and "n = 6" in words
    draft.refresh_from_db()
    assert draft.config_toml == config_toml_before and Round.objects.count() == 1


def test_the_check_says_what_is_wrong(admin, draft):
    data = fill_form(admin.get(url(draft)), "design", {"n": "many"})
    assert "Samples per target: Enter a whole number." in shown(admin.post("/p/news/rounds/preview/", data))
    data = fill_form(admin.get(url(draft)), "design", {"n": "5000"})
    assert "Not enough data" in shown(admin.post("/p/news/rounds/preview/", data))


def test_a_new_round_is_checked_and_saved_from_its_form(admin, draft):
    data = fill_form(admin.get("/p/news/rounds/new/"), "design", {"name": "Second", "n": "3"})
    assert "Items 3 " in shown(admin.post("/p/news/rounds/preview/", data)) and Round.objects.count() == 1
    answer = admin.post("/p/news/rounds/new/", {**data, "do": "save"}, follow=True)
    assert read_form(answer, "design")["name"] == "Second" and Round.objects.count() == 2


def test_a_name_in_use_is_said_at_the_form(admin, draft):
    data = fill_form(admin.get("/p/news/rounds/new/"), "design", {"name": "First", "n": "3"})
    answer = admin.post("/p/news/rounds/new/", {**data, "do": "save"})
    assert answer.status_code == 422 and "already a round with that name" in shown(answer)


def test_the_preview_shows_a_real_item_blind_and_stores_nothing(admin, draft):
    page = admin.get(url(draft, "preview/"))
    words = shown(page)
    assert "Preview" in words and "Nothing can be answered or is stored" in words and "Item 1 of 8" in words
    item = page.context["item"]
    assert item["summaries"][0]["text"] in words and item["questions"][0]["text"] in words
    text = page.content.decode()
    assert "lead" not in re.findall(r"[a-z]+", str(item)) and "<form" not in text.split("<main")[1]
    assert not Item.objects.exists() and not RoundText.objects.exists()


def test_the_preview_goes_from_item_to_item(admin, draft):
    assert "Item 3 of 8" in shown(admin.get(url(draft, "preview/?item=3")))
    last = shown(admin.get(url(draft, "preview/?item=999")))
    assert "Item 8 of 8" in last and "Next item" not in last


def test_a_draft_that_cannot_be_launched_says_why_there_is_no_preview(admin, draft):
    admin.post(url(draft), {"do": "change", "config": draft.config_toml.replace("n = 4", "n = 5000")})
    assert "Not enough data" in shown(admin.get(url(draft, "preview/")))


def test_a_launched_round_has_no_preview(admin, draft):
    launch_round(round_=draft, by=None)
    assert admin.get(url(draft, "preview/")).status_code == 302


def test_a_rater_sees_neither_form_nor_preview(draft):
    client = Client()
    client.force_login(User.objects.get(username="rater1"))
    assert client.get(url(draft, "preview/")).status_code == 404
    assert client.post("/p/news/rounds/preview/", {}).status_code == 404


def test_a_pair_is_previewed_too(admin, draft):
    text = CONFIG.format(name="Pairs", template="pairwise-preference", n_raters=2, head="", n=3, more=MORE)
    pairs = make_draft(project=draft.project, text=text, by=None)
    item = admin.get(url(pairs, "preview/")).context["item"]
    assert item["form"] == "pair" and [row["letter"] for row in item["summaries"]] == ["A", "B"]
