"""What ships in TOML files and stands on pages has an entry for the catalogues; files and stored names stay English."""

import pytest
from django.utils import translation

from annotation.views.people.project_templates import language_choices
from epitome.rounds.templates import load_template, template_keys
from epitome.systems.registry import shipped_configs
from evaluation.services.rounds import built_in_texts
from evaluation.services.rounds.presets import all_presets
from modelbridge.templatetags import system_labels
from tests.pages.conftest import world  # noqa: F401  a fixture

pytestmark = pytest.mark.django_db


@pytest.fixture
def marked(monkeypatch):
    """Every translation is the text between angle brackets."""
    for module in (built_in_texts, system_labels):
        monkeypatch.setattr(module, "_", "<{}>".format)


def test_every_built_in_name_is_translated_and_others_are_not(marked):
    templates = [load_template(key) for key in template_keys()]
    presets = [preset.name for preset in all_presets()]
    for text in (*(row.name for row in templates), *(row.about for row in templates), *presets):
        assert built_in_texts.translate_built_in(text) == f"<{text}>"
    assert len(set(built_in_texts.BUILT_IN)) == 2 * len(templates) + len(presets), "a text that no file has any more"
    for config in shipped_configs():
        assert system_labels.built_in_name(config.name) == f"<{config.name}>"
    assert built_in_texts.translate_built_in("My own") == system_labels.built_in_name("My own") == "My own"


def test_the_pages_show_the_translated_names(marked, world):  # noqa: F811
    client = world.as_("researcher")
    name = load_template("likert").name
    for address in ("rounds/new/", "rounds/templates/"):
        assert f"&lt;{name}&gt;" in client.get(f"/p/news/{address}").content.decode()
    assert "&lt;Random sentences&gt;" in client.get("/p/news/systems/").content.decode()


def test_languages_of_texts_have_names_in_the_readers_language():
    with translation.override("de"):
        names = dict(language_choices())
    assert (names["de"], names["fr"]) == ("Deutsch", "Französisch")
    assert dict(language_choices())["de"] == "German"
