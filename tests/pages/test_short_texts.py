"""Short texts: samples per source, and lengths that ask for too few words."""

from collections import Counter

import pytest

from annotation.models import JobState
from annotation.services.core.errors import BadInput
from annotation.services.people.projects import create_project, give_lengths_in_words, new_guideline_version
from tests.export.factories import import_rows
from tests.pages.import_steps import run_last, shown


@pytest.fixture
def short_texts(world, tmp_path):
    """A project of the template for news, with 15 texts of about 120 words in sentences of 12."""
    project = create_project(slug="shorts", schema="macsum-doc", created_by=world.people["admin"])
    sentence = "The council of the small town voted for the new library today."
    rows = [{"id": f"text-{n}", "text": " ".join([sentence] * (9 + n % 3))} for n in range(15)]
    import_rows(project, tmp_path, rows)
    return project


def test_samples_per_source_are_drawn_for_every_source(world, short_texts):
    form = {"algorithm": "uniform", "seed": 7, "per_source": 4, "group_size": 2, "pace": 10}
    client = world.as_("admin")

    assert "Samples 60" in shown(client.post("/p/shorts/samples/draw/", {**form, "do": "dry"}))
    client.post("/p/shorts/samples/draw/", {**form, "do": "draw"})
    job = run_last(short_texts)

    assert job.state == JobState.DONE, job.error
    assert Counter(short_texts.samples.values_list("document__external_id", flat=True)) == {
        f"text-{n}": 4 for n in range(15)
    }


def test_the_dry_run_says_what_is_asked_on_these_texts(world, short_texts):
    """120 words: 17 to 19 are 14 to 16.5 %; of a sentence of 12 words that is 1.68 to 1.98, so 2 words."""
    form = {"algorithm": "uniform", "seed": 7, "per_source": 7, "group_size": 2, "pace": 10}
    client = world.as_("admin")

    page = shown(client.post("/p/shorts/samples/draw/", {**form, "do": "dry"}))

    assert "Long 17 to 19 words without a topic, about 2 words for each marked sentence too few" in page
    assert "fewer than eight words: Short (at most 1), Normal (at most 2), Long (at most 2)." in page
    assert "Full Use the words of the source only, in its order." in page


def test_lengths_are_given_in_words_by_one_button(world, short_texts):
    form = {"algorithm": "uniform", "seed": 7, "per_source": 7, "group_size": 2, "pace": 10}
    client = world.as_("admin")
    assert "Use lengths in words" in shown(client.post("/p/shorts/samples/draw/", {**form, "do": "dry"}))

    page = shown(client.post("/p/shorts/samples/draw/", {**form, "do": "words"}))

    assert "The lengths are numbers of words now." in page and "Samples 105" in page
    assert "Long 41 to 60 words" in page and "too few" not in page and "Use lengths in words" not in page
    versions = short_texts.schema_versions.order_by("number")
    assert [row.schema.attribute("length").band("long").of for row in versions] == ["relevant_words", "words"]
    assert "41 to 60" in short_texts.guideline_versions.get(number=2).text
    assert not short_texts.samples.exists()


def test_a_guideline_of_ones_own_stays_when_lengths_become_words(world, short_texts):
    new_guideline_version(project=short_texts, text="# Our rules", by=world.people["admin"])
    give_lengths_in_words(project=short_texts, by=world.people["admin"])
    assert short_texts.guideline_versions.latest("number").text == "# Our rules"
    with pytest.raises(BadInput, match="cannot be changed here"):
        give_lengths_in_words(project=short_texts, by=world.people["admin"])
    assert short_texts.schema_versions.count() == 2
