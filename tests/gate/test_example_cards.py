"""Worked examples as cards of the guideline: in the text, in the form, and as annotators see them."""

import html
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from annotation.services.guidelines.example_cards import ExampleCard, parse_card, read_cards, write_card, write_cards
from annotation.services.guidelines.versions import example_names
from annotation.views.core.markdown import render_markdown
from tests.pages.forms import fill_form, read_form
from tests.tasks.factories import make_project

CARD = ExampleCard(request="Length short", source="It rained.\n\nIt poured.", summary="Rain.", why="One <b>fact</b>.")
TEXT = f"# Rules\n\n**Example 1.** In words.\n\n{write_card(CARD)}\n## After\n\nMore.\n"
URL = "/p/news/guideline/edit/"


def test_a_card_is_rendered_with_its_parts_and_nothing_of_it_is_markup():
    rendered = render_markdown(TEXT)
    assert [example.text for example in rendered.examples] == ["Example 1.", "Example 2"]
    assert 'id="example-2"' in rendered.html and "&lt;b&gt;fact" in rendered.html and 'ok">good<' in rendered.html
    assert example_names(TEXT) == ["Example 1", "Example 2"]


def test_an_unchanged_card_leaves_the_text_as_it_is():
    assert write_cards(TEXT, read_cards(TEXT)) == TEXT


def test_a_changed_card_changes_nothing_around_it():
    text = write_cards(TEXT, [ExampleCard(summary="Wet.")])
    assert text.startswith("# Rules\n\n**Example 1.** In words.\n\n") and text.endswith("\n## After\n\nMore.\n")
    assert read_cards(text) == [ExampleCard(summary="Wet.")]


def test_an_emptied_card_goes_and_a_new_one_is_put_at_the_end():
    text = write_cards(TEXT, [ExampleCard(), CARD])
    assert read_cards(text) == [CARD] and text.index("## After") < text.index("It rained.")


lines = st.text(st.sampled_from("ab é:`#>*\n ]"), max_size=20).map(lambda text: text.strip("\n "))
cards = st.builds(ExampleCard, lines, lines, lines, lines)


@given(st.lists(cards.filter(lambda card: not card.is_empty), max_size=3))
def test_any_cards_come_back_from_the_text(some):
    def trimmed(card):
        return [re.sub(r"[ ]+$", "", value, flags=re.M) for value in vars(card).values()]

    text = write_cards("Before.\n", some)
    assert [trimmed(card) for card in read_cards(text)] == [trimmed(card) for card in some]
    assert text.startswith("Before.\n") and write_cards(text, read_cards(text)) == text


def test_lines_without_a_field_belong_to_the_source():
    assert parse_card("Only this.\nwhy: Because.\n") == ExampleCard(source="Only this.", why="Because.")


@pytest.fixture
def admin(db):
    make_project("news")
    client = Client()
    client.force_login(User.objects.create_superuser("admin"))
    return client


def newest(admin):
    return read_form(admin.get(URL), "guideline")["text"]


def test_a_card_is_added_by_the_form_and_published(admin):
    data = read_form(admin.get(URL), "guideline")
    added = fill_form(admin.post(URL, {**data, "do": "add-card"}), "guideline", {"card0-summary": "Rain.\nMuch."})
    assert newest(admin) == data["text"], "nothing is stored yet"
    admin.post(URL, {**added, "do": "keep", "change": "wording", "note": "A card."})
    assert read_cards(newest(admin)) == [ExampleCard(summary="Rain.\nMuch.")]
    assert newest(admin).startswith(data["text"].rstrip())
    page = html.unescape(admin.get("/p/news/guideline/").content.decode())
    assert "example-card" in page and "Rain.\nMuch." in page


def test_what_was_changed_in_the_text_wins_over_the_cards_that_were_shown(admin):
    data = {**read_form(admin.get(URL), "guideline"), "text": TEXT, "do": "preview"}
    form = read_form(admin.post(URL, data), "guideline")
    assert form["card0-summary"] == "Rain."
    form = read_form(admin.post(URL, {**form, "text": TEXT.replace("Rain.", "Fog."), "do": "preview"}), "guideline")
    assert form["card0-summary"] == "Fog." and read_cards(form["text"])[0].summary == "Fog."


def test_the_preview_renders_what_is_typed_and_stores_nothing(admin):
    state_before = newest(admin)
    answer = admin.post("/p/news/guideline/preview/", {"text": "# New\n\n<script>x</script> **bold**"})
    page = answer.content.decode()
    assert "<strong>bold</strong>" in page and "<script>" not in page and newest(admin) == state_before
