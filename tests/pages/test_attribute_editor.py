"""The form in which attributes are declared: nothing is stored before it is published."""

import html
import re

import pytest
from django.http import QueryDict

from annotation.services.people.projects import new_schema_version
from annotation.views.tasks.task_page import format_band
from epitome.schema import parse_schema
from tests.pages.forms import fill_form, read_form

URL = "/p/news/schema/edit/"


@pytest.fixture
def admin(world):
    return world.as_("admin")


def shown(answer) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def newest(world):
    return world.project.schema_versions.order_by("-number").first()


def test_the_form_that_nobody_changed_publishes_nothing_new(admin, world):
    admin.post(URL, {**read_form(admin.get(URL), "attributes"), "do": "publish"})
    assert newest(world).number == 1


def test_a_changed_guide_is_published_and_the_rest_of_the_text_stays(admin, world):
    text_before = newest(world).text
    data = fill_form(admin.get(URL), "attributes", {"a0-guide": "Count every word."})
    answer = admin.post(URL, {**data, "do": "publish"}, follow=True)
    assert "Version 2 published" in shown(answer)
    old = parse_schema(text_before).attributes[0].guide
    assert newest(world).text == text_before.replace(old, "Count every word.")


@pytest.mark.parametrize("do", ["preview", "add", "up:1", "remove:0", "add-value:0", "remove-value:0:1"])
def test_no_other_button_stores_anything(admin, world, do):
    data = fill_form(admin.get(URL), "attributes", {"a0-label": "Extent"})
    assert admin.post(URL, {**data, "do": do}).status_code == 200
    assert newest(world).number == 1


def test_what_was_typed_is_still_there_after_a_row_is_added(admin):
    data = fill_form(admin.get(URL), "attributes", {"a1-guide": "Typed\nin two lines"})
    form_after = read_form(admin.post(URL, {**data, "do": "add"}), "attributes")
    assert form_after["a1-guide"] == "Typed\nin two lines" and int(form_after["a"]) == int(data["a"]) + 1


def test_an_attribute_is_added_by_the_form_alone(admin, world):
    data = read_form(admin.get(URL), "attributes")
    n = int(data["a"])
    data = read_form(admin.post(URL, {**data, "do": "add"}), "attributes")
    data |= {f"a{n}-key": "formality", f"a{n}-label": "Formality", f"a{n}-guide": "How formal it is."}
    data |= {f"a{n}-v0-value": "plain", f"a{n}-v1-value": "formal", f"a{n}-v1-example": "It is hereby stated."}
    data |= {f"a{n}-v1-of": "words", f"a{n}-v1-low": "10", f"a{n}-question": "Is it formal?"}
    admin.post(URL, {**data, "do": "publish"})
    formality = newest(world).schema.attribute("formality")
    assert formality.values == ("plain", "formal") and formality.value_example("formal") == "It is hereby stated."
    assert formality.band("formal").low == 10 and formality.band("formal").high is None


def test_attributes_change_places_and_the_baseline_stays_with_its_value(admin, world):
    keys = [attribute.key for attribute in newest(world).schema.attributes]
    data = read_form(admin.get(URL), "attributes")
    data = read_form(admin.post(URL, {**data, "do": "down:0"}), "attributes")
    data = read_form(admin.post(URL, {**data, "do": "up-value:1:1"}), "attributes")
    admin.post(URL, {**data, "do": "publish"})
    schema = newest(world).schema
    assert [attribute.key for attribute in schema.attributes] == [keys[1], keys[0], *keys[2:]]
    assert schema.attributes[1].values == ("normal", "short", "long") and schema.attributes[1].anchor == "normal"


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("a0-v0-low", "much", "must be a number, is"),
        ("a0-key", "Two Words", "lower-case letters"),
        ("a0-label", "", "must not be empty"),
        ("head-hp", "{nothing}", "has the place"),
    ],
)
def test_a_fault_is_said_at_its_field_and_nothing_is_published(admin, world, field, value, words):
    answer = admin.post(URL, {**fill_form(admin.get(URL), "attributes", {field: value}), "do": "publish"})
    page = answer.content.decode()
    assert answer.status_code == 422 and newest(world).number == 1
    error = re.search(rf'id="id_{field}_error">(.*?)</ul>', page, re.DOTALL)
    assert error and words in html.unescape(error[1])


def test_a_version_published_meanwhile_is_not_overwritten(admin, world):
    data = fill_form(admin.get(URL), "attributes", {"a0-label": "Extent"})
    new_schema_version(project=world.project, text=newest(world).text + "\n# other\n", by=None)
    answer = admin.post(URL, {**data, "do": "publish"})
    assert answer.status_code == 422 and "Version 2 was published while you were editing" in shown(answer)
    assert newest(world).number == 2 and read_form(answer, "attributes")["a0-label"] == "Extent"


def test_toml_is_shown_in_the_form_and_a_faulty_one_stays_for_correction(admin, world):
    text = newest(world).text.replace('label = "Length"', 'label = "Size"')
    answer = admin.post(URL, {"do": "toml", "toml": text})
    assert read_form(answer, "attributes")["a0-label"] == "Size" and newest(world).number == 1
    refused = admin.post(URL, {"do": "toml", "toml": text.replace("ordinal", "orderly")})
    assert refused.status_code == 422 and "line" in shown(refused) and "orderly" in shown(refused)


def test_the_preview_shows_chip_meter_and_question_and_stores_nothing(admin, world):
    data = fill_form(admin.get(URL), "attributes", {"a0-label": "Extent", "a0-question": "As long as asked?"})
    data |= {"sample": "one two three four five six seven", "relevant": "60"}
    answer = admin.post("/p/news/schema/preview/", data)
    words = shown(answer)
    assert "Extent" in words and "7 words" in words and "As long as asked?" in words
    assert "Over the guideline’s band, 3 to 3." in words and "Within the guideline’s band, 6 to 6." not in words
    assert "Under the guideline’s band, 9 to 9." in words
    assert newest(world).number == 1


def test_the_preview_says_what_is_wrong(admin):
    data = fill_form(admin.get(URL), "attributes", {"a0-v0-low": "x"})
    answer = admin.post("/p/news/schema/preview/", data)
    assert answer.status_code == 200 and "must be a number" in shown(answer)


def test_drawn_samples_and_the_fixed_domain_are_explained(admin):
    words = shown(admin.get(URL))
    assert "keep the version they were drawn under" in words and "Fixed since the project was created" in words


def test_a_damaged_form_is_refused_in_words(admin):
    answer = admin.post(URL, {"base": "a = [", "do": "preview"})
    assert answer.status_code == 400 and "Reload the page" in shown(answer)


def test_a_form_with_wild_numbers_is_answered(admin):
    data = QueryDict(mutable=True)
    data.update({"base": 'key = "x"', "a": "99999", "a0-v": "-1", "number": "²", "do": "up:7:8:9"})
    assert admin.post(URL, data.dict()).status_code == 200


def test_a_band_of_words_is_in_whole_words():
    assert format_band({"low": 8.0, "high": 20.0}) == "Guideline: 8 to 20 words."
    assert format_band({"low": 8.0, "high": None}) == "Guideline: 8 or more words."
