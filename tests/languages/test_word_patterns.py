"""Lists, names with values, remarks and quotes are put together as each language does it."""

import re
from datetime import date

import pytest
from django.template import Context, Template
from django.utils.translation import override

from annotation.services.core import word_patterns
from annotation.views.staff.weeks import describe_week
from annotation.views.tasks.aggregation_sheet import build_aggregation
from epitome.figures import numbers

LISTS = [
    ("en", "a, b", "a; b", "a, b and c"),
    ("de", "a, b", "a; b", "a, b und c"),
    ("zh-hans", "a、b", "a；b", "a、b 和 c"),
    ("ar", "a، b", "a؛ b", "a، b وc"),
]


@pytest.mark.parametrize(("language", "names", "clauses", "all_of_three"), LISTS)
def test_lists_have_the_commas_of_the_language(language, names, clauses, all_of_three):
    with override(language):
        assert word_patterns.join_names(["a", "b"]) == names
        assert word_patterns.join_clauses(["a", "b"]) == clauses
        assert word_patterns.join_with_and(["a", "b", "c"]) == all_of_three
        assert word_patterns.join_with_and(["a"]) == word_patterns.join_with_or(["a"]) == "a"


def test_a_page_isolates_names_and_values_and_escapes_them():
    template = Template("{% load pages %}{{ names|join_isolated }} {{ 'x'|with_value:value }} {{ 4.5|with_percent }}")
    with override("zh-hans"):
        page = template.render(Context({"names": ["a", "<b>"], "value": "<i>"}))

    assert page == "<bdi>a</bdi>、<bdi>&lt;b&gt;</bdi> x：<bdi>&lt;i&gt;</bdi> 4.5%"


def test_what_annotators_of_entities_continue_is_english_on_every_page():
    entities = [{"name": name, "url": "", "background": "", "mentions": []} for name in ("Dunmere", "Port Issel")]
    context = {"kind": "sentences", "first": 0, "last": 0}
    subject = {"entities": entities, "entity_type": "location", "context": context}
    with override("de"):
        view = build_aggregation(subject, [{"text": "It would join Dunmere to Port Issel."}])

    assert (view.lead, view.phrase) == ("In this article, Dunmere and Port Issel are discussed.", "The two areas …")
    assert view.type_word == "areas"


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "24 Nov to 30 Nov 2031"), ("de", "24. Nov. bis 30. Nov. 2031"), ("zh-hans", "2031年11月24日至11月30日")],
)
def test_a_week_has_its_year_where_the_language_writes_it(language, words):
    with override(language):
        week = describe_week(date(2031, 11, 24))  # a week that no page of another test keeps in another language

    assert re.sub(r"[\u2060\u00a0]", lambda mark: " " if mark[0] == "\u00a0" else "", week) == words


def test_dates_and_ranges_keep_together_and_their_lower_end_at_the_left():
    assert word_patterns.keep_together("11月26日 18:50") == "11\u2060月\u206026\u2060日\u00a018:50"
    assert word_patterns.keep_together("8–20") == "8–\u206020"
    with override("ar"):
        assert numbers.format_range(8, 20) == "\u200e8–20"
        assert numbers.format_half_width(4.5, 1) == "\u200e± 4.5"
    with override("de"):
        assert numbers.format_range(8, 20) == "8–20" and numbers.format_half_width(4.5, 1) == "± 4,5"
    assert numbers.format_half_width(None, 1) == "–"
