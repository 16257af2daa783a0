"""What is read from the answers of a model, and what is refused with words that the model is shown."""

import pytest

from epitome.construction.answers import AnswerFault, needs_paraphrase, parse_answer
from epitome.construction.estimates import estimate_focus, estimate_readability
from epitome.construction.summaries import (
    BuiltSummary,
    Pool,
    build_compositional,
    build_test_pair,
    draw_sample,
    find_keywords,
)
from epitome.prompts.rewrites import rewrite_messages
from epitome.schema import SchemaError
from epitome.systems.chat_options import Price
from epitome.systems.config import parse_config
from epitome.systems.registry import config_of

BOTH = {"empirical": "data", "conceptual": "ideas"}


@pytest.mark.parametrize(
    "text",
    [
        '{"Empirical Content": "data", "Conceptual Content": "ideas"}',
        '```json\n{"Empirical Content": "data", "Conceptual Content": "ideas"}\n```',
        'Sure.\n{"empirical_content": " data ", "CONCEPTUAL CONTENT": "ideas"}\nDone.',
        '<think>Hm {x}.</think>{"Empirical Content": "data", "Conceptual Content": ["ideas"]}',
    ],
)
def test_fields_are_read_however_they_are_wrapped(text):
    assert parse_answer("identification", text) == BOTH


@pytest.mark.parametrize("nothing", ['""', "null", '"None"', '"none."', '"N/A"', '"  "'])
def test_none_has_many_forms(nothing):
    texts = parse_answer("identification", f'{{"Empirical Content": {nothing}, "Conceptual Content": "ideas"}}')
    assert texts == {"empirical": None, "conceptual": "ideas"} and not needs_paraphrase(texts)


@pytest.mark.parametrize(
    ("call", "text", "fault"),
    [
        ("readability", "  ", "it is empty"),
        ("readability", "<think>still thinking", "it is empty"),
        ("identification", "mostly empirical", "it holds no JSON object"),
        ("identification", "{empirical}", "its JSON cannot be read"),
        ("identification", "[" * 100_000 + "{" + "}", "its JSON cannot be read"),
        ("identification", '{"Empirical Content": "data"}', 'the field "Conceptual Content" is missing'),
        ("identification", '{"Empirical Content": 3, "Conceptual Content": "x"}', "neither a text nor null"),
        ("paraphrase", '{"Empirical Summary": null, "Conceptual Summary": ""}', "neither field holds a text"),
    ],
)
def test_an_answer_that_cannot_be_used_says_why(call, text, fault):
    if fault.startswith("its JSON") and text.startswith("["):
        text = "{" + text
    with pytest.raises(AnswerFault, match=fault):
        parse_answer(call, text)


def test_a_readability_answer_is_cleaned_like_a_summary():
    assert parse_answer("readability", 'Summary: "Put simply."') == {"summary": "Put simply."}


def test_a_second_attempt_goes_on_with_the_same_conversation():
    messages = rewrite_messages("paraphrase", "The abstract.", earlier=["{found}", "rubbish"], fault="it is empty")
    assert [message["role"] for message in messages] == ["system", *["user", "assistant"] * 2, "user"]
    assert (messages[2]["content"], messages[4]["content"]) == ("{found}", "rubbish")
    assert "it is empty" in messages[5]["content"] and "The abstract." in messages[1]["content"]


def test_prompts_of_ones_own_replace_ours_and_are_checked():
    text = '[system]\nkey = "r"\nkind = "chat-rewrite"\n[options]\nserver = "lab"\nmodel = "m"\n[options.prompt]\n'
    settings = parse_config(text + 'readability = "Simply: {text}"').settings
    assert rewrite_messages("readability", "An {abstract}.", own_texts=settings.prompt)[1]["content"] == (
        "Simply: An {abstract}."
    )
    for wrong in ('readability = "Simply."', 'retry = "{text}"', 'user = "{text}"'):
        with pytest.raises(SchemaError):
            parse_config(text + wrong)


def test_the_shipped_system_asks_with_temperature_0():
    config = config_of("chat-rewrite")
    assert config.settings.parameters["temperature"] == 0.0
    bare = parse_config('[system]\nkey = "r"\nkind = "chat-rewrite"\n[options]\nserver = "lab"\nmodel = "m"\n')
    assert bare.settings.parameters["temperature"] == 0.0


def test_estimates_count_calls_tokens_and_money():
    price = Price(input=1.0, output=10.0, currency="EUR")
    readability = estimate_readability(["x" * 400, "y" * 400], price)
    assert readability.calls == 2 and readability.tokens_out == 200 and readability.tokens_in > 200
    assert readability.cost == pytest.approx((readability.tokens_in + 10 * 200) / 1e6)
    focus = estimate_focus(["x" * 400], None)
    assert focus.calls == 2 and focus.cost is None and focus.currency == ""


@pytest.mark.parametrize(
    ("text", "keyword", "by_stem", "exactly"),
    [
        ("We use hash functions.", "hash function", True, False),
        ("Networks are deep.", "deep networks", False, False),
        ("A Bloom filter.", "bloom filter", True, True),
        ("Rehash functions", "hash functions", False, False),
        ("Nothing", "--", False, False),
    ],
)
def test_keywords_are_found_side_by_side_and_in_order(text, keyword, by_stem, exactly):
    assert bool(find_keywords(text, [keyword])) == by_stem
    assert bool(find_keywords(text, [keyword], exact=True)) == exactly


def length_bin(n):
    return str(min(max(n - 1, 0) // 50, 4))


def summary(number, text="Bloom filters are small.", **attributes):
    return BuiltSummary(str(number), number, text, "abstract", attributes or {"readability": "normal"})


def test_keywords_are_kept_in_the_share_that_is_asked_for():
    pool = Pool([summary(number) for number in range(400)], {number: ["Bloom filter"] for number in range(200)})

    def count(share):
        built = build_compositional(pool, length_bin, n=400, seed=1, purpose="train", keyword_share=share)
        assert all(set(row.attributes) - {"keywords"} == {"length", "readability"} for row in built)
        return sum("keywords" in row.attributes for row in built)

    assert (count(0), count(1)) == (0, 200) and 70 <= count(0.5) <= 130
    assert count(0.5) == count(0.5)  # seeded


def test_a_test_pair_without_a_keyword_in_either_text_falls_out():
    original, rewritten = summary(1, focus="high"), summary(1, text="Small memories.")
    assert build_test_pair(original, rewritten, ["Bloom filter"], length_bin) == []
    pair = build_test_pair(original, summary(1, text="A Bloom filter."), ["Bloom filter"], length_bin)
    assert [row.attributes["readability"] for row in pair] == ["normal", "high"]
    assert all(row.attributes["focus"] == "high" and row.attributes["keywords"] == ["Bloom filter"] for row in pair)


def test_a_draw_depends_on_the_keys_and_the_seed_alone():
    rows = [str(number) for number in range(100)]
    drawn = draw_sample(rows, 10, 1, "x", str)
    assert sorted(draw_sample(rows[::-1], 10, 1, "x", str)) == sorted(drawn) and drawn == sorted(drawn, key=int)
    assert draw_sample(rows, 10, 2, "x", str) != drawn and draw_sample(rows, 500, 1, "x", str) == rows
