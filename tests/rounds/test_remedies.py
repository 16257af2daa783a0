"""A new round starts with what there is; a fault is said at its field, with a button for the nearest right value."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Annotation, Role
from epitome.rounds.templates import load_template
from evaluation.models import Round
from evaluation.services.rounds import usual_size
from evaluation.services.rounds.usual_size import find_usual_n
from tests.pages.forms import fill_form, read_form
from tests.rounds.factories import make_run, project_with_gold, raters_of
from tests.rounds.forms import list_round
from tests.rounds.judged import make_judge
from tests.rounds.test_round_form import shown
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db
NEW = "/p/news/rounds/new/"
OFFER = re.compile(r'<button[^>]*name="use"\s+value="([^"]*)"')


@pytest.fixture
def admin():
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_superuser("admin"))
    return client


@pytest.fixture
def project(admin):
    project = project_with_gold()
    raters_of(project)
    make_run(project, "lead")
    make_judge(project, "model")
    return project


def press(admin, answer, button):
    """Press a button of the page's form; "use" presses the one offer that it has."""
    if button != "use":
        return admin.post(NEW, {**read_form(answer, "design"), "do": button})
    (offer,) = OFFER.findall(answer.content.decode())
    return admin.post(NEW, {**read_form(answer, "design"), "use": offer})


def check(admin, **values):
    data = {**read_form(admin.get(NEW), "design"), "name": "Second", "n": "4", **values}
    return admin.post(NEW, {**data, "do": "write"})


def is_text_open(answer):
    """Whether the TOML text is unfolded."""
    (folded,) = re.findall(r'<details class="more"([^>]*)>\s*<summary>Use an existing design', answer.content.decode())
    return "open" in folded


def part(answer, field):
    """What stands at one field."""
    text = answer.content.decode()
    start = text.index(f'id="id_{field}_error"')
    return text[start : text.index("</ul>", start) + 400]


@pytest.mark.parametrize(
    ("values", "field", "said", "right"),
    [
        ({"n": "30"}, "n", "24 samples fit, 30 are needed", "24"),
        ({"n": "0"}, "n", "greater than or equal to 1", "1"),
        ({"raters_per_item": "3"}, "raters_per_item", "Every item needs 3 raters, but there are 2", "2"),
        ({"raters_per_item": "3", "raters": ["rater1"]}, "raters_per_item", "every item needs 3", "1"),
        ({"extra_ratings": "5"}, "extra_ratings", "all raters rate every item", "0"),
        ({"stratify": "extractiveness", "floor": "3"}, "floor", "are needed", "1"),
        ({"stratify": "extractiveness", "floor": "9"}, "floor", "Must be from 0 to 4", "4"),
        ({"repeats": "7"}, "repeats", "cannot be repeated so often", "4"),
        ({"other_source": "60"}, "other_source", "no foil of another source", None),
        ({"template": "pairwise-preference"}, "runs", "A pair needs two targets", None),
        ({"pairs_by": "length"}, "pairs_by", "shows one summary", ""),
        ({"reference": "gold"}, "reference", "shows no reference", ""),
        ({"people_share": "50"}, "people_share", "Leaves items that nobody judges", "100"),
        ({"active": "on"}, "active", "goes by the doubts of judges", ""),
        ({"stopping": "decided"}, "stopping", "declare another target", ""),
    ],
)
def test_a_fault_is_said_at_its_field_with_the_nearest_right_value(admin, project, values, field, said, right):
    answer = check(admin, **values)
    assert answer.status_code == 422 and said in part(answer, field)
    assert read_form(answer, "design")["name"] == "Second" and not is_text_open(answer)
    offers = [offer for offer in OFFER.findall(answer.content.decode()) if offer.startswith(f"{field}=")]
    if right is None:
        assert len(offers) <= 1
        return
    assert offers == [f"{field}={right}"]
    again = admin.post(NEW, {**read_form(answer, "design"), "use": offers[0]})
    assert said not in shown(again) and read_form(again, "design").get(field, "") == right


def test_the_offered_value_leads_to_a_draft(admin, project):
    answer = check(admin, n="30")
    assert "Use 24" in shown(answer)
    answer = press(admin, answer, "use")
    assert answer.status_code == 200 and "Items 24 " in shown(answer) and not Round.objects.exists()
    press(admin, answer, "save")
    assert Round.objects.get().rules.selection.n == 24


def test_the_check_beside_the_form_offers_the_value_too(admin, project):
    data = fill_form(admin.get(NEW), "design", {"name": "Second", "n": "30"})
    answer = admin.post("/p/news/rounds/preview/", data)
    assert "Samples per target: Not enough data: 24 samples fit, 30 are needed." in shown(answer)
    assert OFFER.findall(answer.content.decode()) == ["n=24"]


def test_a_draft_applies_and_stores_the_offered_value(admin, project):
    answer = check(admin, n="30")
    admin.post(NEW, {**read_form(answer, "design"), "do": "save"})
    round_ = Round.objects.get()
    page = admin.get(f"/p/news/rounds/{round_.public_id}/")
    assert OFFER.findall(page.content.decode()) == ["n=24"]
    admin.post(f"/p/news/rounds/{round_.public_id}/", {**read_form(page, "design"), "use": "n=24"})
    round_.refresh_from_db()
    assert "n = 24" in round_.config_toml


def test_an_offer_for_what_is_no_field_changes_nothing(admin, project):
    answer = admin.post(NEW, {**read_form(check(admin), "design"), "use": "nonsense=9"})
    assert answer.status_code == 200 and "Items 4 " in shown(answer)


def test_additional_ratings_beside_a_judge_can_be_switched_off(admin, project):
    make_people(1, project, Role.RATER, start=9)
    answer = check(admin, extra_ratings="5", judges=["model"])
    assert "Does not go with [judge]" in part(answer, "extra_ratings") and "Use 0" in shown(answer)


def test_a_written_text_stays_open_only_where_it_is_faulty(admin, project):
    text = '[round]\nname = "Text"\ntemplate = "likert"\n[selection]\nn = {n}\n[[target]]\nkind = "gold"\n'
    faulty = admin.post(NEW, {"do": "check", "config": text.format(n=0)})
    assert faulty.status_code == 422 and is_text_open(faulty)
    sound = admin.post(NEW, {"do": "check", "config": text.format(n=5)})
    assert not is_text_open(sound)
    assert read_form(sound, "design")["name"] == "Text" and "Items 5 " in shown(sound)
    press(admin, sound, "save")
    assert Round.objects.get().config_toml == text.format(n=5)


def test_a_written_text_that_asks_for_too_much_is_mended_in_the_form(admin, project):
    text = (
        '[round]\nname = "Text"\ntemplate = "likert"\nraters_per_item = 2  # mine\n[selection]\nn = 500\n[[target]]\n'
    )
    text += 'kind = "gold"\n'
    answer = admin.post(NEW, {"do": "check", "config": text})
    assert "24 samples fit, 500 are needed" in shown(answer) and not is_text_open(answer)
    answer = press(admin, answer, "use")
    assert answer.status_code == 200 and "Items 24 " in shown(answer)
    press(admin, answer, "save")
    assert "n = 24" in Round.objects.get().config_toml and "# mine" in Round.objects.get().config_toml


def test_a_text_with_a_template_of_its_own_is_checked_and_saved_as_it_is(admin, project):
    make_run(project, "tail")
    answer = admin.post(NEW, {"do": "check", "config": list_round(n=500)})
    assert "24 samples fit, 500 are needed" in shown(answer) and is_text_open(answer)
    assert not OFFER.findall(answer.content.decode())
    admin.post(NEW, {"do": "keep", "config": list_round(n=4)})
    assert Round.objects.get().config_toml == list_round(n=4)


def test_the_usual_number_is_what_there_is(project):
    assert find_usual_n(project, load_template("likert")) == 24
    assert find_usual_n(project, load_template("pairwise-preference")) == 24  # a pair is not yet declared
    Annotation.objects.filter(pk__in=list(Annotation.objects.values_list("pk", flat=True)[:20])).delete()
    assert find_usual_n(project, load_template("macsum-yes-no")) == 4
    Annotation.objects.all().delete()
    assert find_usual_n(project, load_template("macsum-yes-no")) == 30


def test_the_usual_number_of_a_large_project_is_counted(project, monkeypatch):
    monkeypatch.setattr(usual_size, "MOST_PLANNED", 5)
    assert find_usual_n(project, load_template("macsum-yes-no")) == 24
