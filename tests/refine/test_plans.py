"""What a system that refines asks of its base, step by step, and why it stops."""

import pytest

from epitome.systems.protocol import SystemFault, Unavailable
from tests.refine.factories import CHAT, PRICE, last_turn, refine, request_of, words


def note_of(output):
    return output.decoding["refine"]


def asked_of(output):
    return [step["asked"] for step in output.steps]


def test_a_draft_that_meets_the_request_is_not_asked_for_again():
    system = refine(lambda request: words(10))

    (output,) = system.generate([request_of()])

    assert (output.text, note_of(output)["stopped"], len(output.steps)) == (words(10), "satisfied", 1)
    assert output.usage == {"attempts": 1, "prompt_tokens": 10, "completion_tokens": 5, "cost": 20.0, "calls": 1}


def test_a_draft_that_is_too_long_is_told_what_was_measured_and_what_is_wanted():
    system = refine(lambda request: words(12) if request.turns else words(30))

    (output,) = system.generate([request_of(extractiveness="high")])

    draft, said = system.base.asked[1].turns
    assert draft == {"role": "assistant", "content": words(30)} and said["role"] == "user"
    assert "- Length, requested: short. Measured: 30 words. It should be 8 to 20 words." in said["content"]
    assert "Extractiveness" not in said["content"], "it has no range: it is left to the model"
    assert output.text == words(12) and output.prompt == "the prompt"
    assert output.usage["calls"] == 2 and output.usage["cost"] == 40.0 and output.seconds == 1.0
    assert [step["turns"] for step in output.steps] == [[], [said["content"]]]
    assert output.steps[0]["measures"]["length"] == {
        "measured": 30.0, "low": 8, "high": 20, "distance": pytest.approx(10 / 12), "unit": "words",
    }  # fmt: skip
    assert "distance" not in output.steps[0]["measures"]["extractiveness"]
    assert list(note_of(output)["left_to_model"]) == ["extractiveness"]


def test_all_names_every_missed_attribute_in_one_request_and_what_is_to_stay():
    system = refine(lambda request: words(10, "bridge") if request.turns else words(30), 'plan = "all"')

    (output,) = system.generate([request_of(topic=("bridge",))])

    said = last_turn(system.base.asked[1])
    assert "- Length" in said and '- Topic, requested: "bridge". Measured: 0. It should be 1 or more.' in said
    assert asked_of(output) == [[], ["length", "topic"]] and note_of(output)["stopped"] == "satisfied"


def test_by_attribute_asks_for_one_at_a_time_in_the_order_and_says_what_to_keep():
    texts = iter([words(30), words(30, "bridge"), words(10, "bridge")])
    system = refine(lambda request: next(texts), 'plan = "by-attribute"\norder = ["topic", "length"]')

    (output,) = system.generate([request_of(topic=("bridge",))])

    assert asked_of(output) == [[], ["topic"], ["length"]]
    assert "Already as requested, to be kept: Topic." in last_turn(system.base.asked[2])
    assert "Length" not in last_turn(system.base.asked[1])


def test_by_attribute_comes_back_to_what_a_later_step_has_spoilt():
    texts = iter([words(30), words(30, "bridge"), words(10), words(11, "bridge")])
    system = refine(lambda request: next(texts), 'plan = "by-attribute"\norder = ["topic"]')

    (output,) = system.generate([request_of(topic=("bridge",))])

    assert asked_of(output) == [[], ["topic"], ["length"], ["topic"]] and note_of(output)["stopped"] == "satisfied"


def test_guide_asks_why_first_and_only_the_text_after_it_counts():
    answers = iter([words(30), "I wrote too much.", words(10)])
    system = refine(lambda request: next(answers), 'plan = "guide"')

    (output,) = system.generate([request_of()])

    explanation, request = system.base.asked[1], system.base.asked[2]
    assert "Explain" in last_turn(explanation) and "Measured: 30 words" in last_turn(explanation)
    assert [turn["role"] for turn in request.turns] == ["assistant", "user", "assistant", "user"]
    assert request.turns[2]["content"] == "I wrote too much." and "write the whole summary again" in last_turn(request)
    assert output.text == words(10) and output.usage["calls"] == 3 and len(output.steps) == 2
    assert output.steps[1]["turns"][1] == "I wrote too much." and output.steps[1]["usage"]["cost"] == 40.0


def test_search_goes_on_from_the_best_draft_not_from_the_newest():
    answers = {  # draft, attribute that was asked for -> the next draft
        (words(25), "Topic"): words(100, "bridge"),
        (words(25), "Length"): words(15),
        (words(15), "Topic"): words(15, "bridge"),
    }

    def answer(request):
        if not request.turns:
            return words(25)
        return answers[request.turns[0]["content"], "Length" if "- Length" in last_turn(request) else "Topic"]

    system = refine(answer, 'plan = "search"')

    (output,) = system.generate([request_of(topic=("bridge",))])

    tree = [(step["parent"], step["asked"]) for step in output.steps]
    assert tree == [(0, []), (1, ["topic"]), (1, ["length"]), (3, ["topic"])], "draft 2 is farther away than draft 1"
    assert output.text == words(15, "bridge") and note_of(output)["kept_draft"] == 4


def test_search_ends_where_nothing_is_left_to_ask_and_keeps_the_best_draft():
    system = refine(lambda request: words(60) if request.turns else words(30), 'plan = "search"')

    (output,) = system.generate([request_of()])

    assert [step["parent"] for step in output.steps] == [0, 1, 2] and note_of(output)["stopped"] == "exhausted"
    assert output.text == words(30) and note_of(output)["kept_draft"] == 1


@pytest.mark.parametrize(
    ("budget", "stopped", "calls"),
    [("calls = 3", "calls", 3), ("calls = 9\ntokens = 30", "tokens", 2), ("calls = 9\ncost = 60.0", "cost", 3)],
)
def test_a_budget_ends_the_steps_of_a_sample(budget, stopped, calls):
    lengths = iter(range(30, 60))
    system = refine(
        lambda request: words(next(lengths)),
        f"[options.budget]\n{budget}",
        base=CHAT + PRICE,
    )

    (output,) = system.generate([request_of()])

    assert (note_of(output)["stopped"], output.usage["calls"]) == (stopped, calls)
    assert note_of(output)["missed"] == ["length"]


def test_guide_does_not_begin_a_step_that_the_budget_does_not_pay():
    system = refine(lambda request: words(30), 'plan = "guide"\n[options.budget]\ncalls = 2')

    (output,) = system.generate([request_of()])

    assert (output.usage["calls"], note_of(output)["stopped"]) == (1, "calls")


@pytest.mark.parametrize(("keep", "kept"), [("last", 3), ("best", 2)])
def test_the_last_or_the_best_draft_is_the_output_and_the_output_says_which(keep, kept):
    texts = iter([words(60), words(25), words(40)])
    system = refine(lambda request: next(texts), f'keep = "{keep}"\n[options.budget]\ncalls = 3')

    (output,) = system.generate([request_of()])

    assert output.text == output.steps[kept - 1]["text"]
    assert (note_of(output)["keep"], note_of(output)["kept_draft"]) == (keep, kept)


def test_the_same_draft_is_not_asked_for_the_same_twice():
    system = refine(lambda request: words(30))

    (output,) = system.generate([request_of()])

    assert (note_of(output)["stopped"], output.usage["calls"]) == ("exhausted", 2)


def test_an_empty_answer_never_becomes_the_draft_and_an_empty_first_one_ends_it():
    (output,) = refine(lambda request: "" if request.turns else words(30)).generate([request_of()])
    assert output.text == words(30) and [step["text"] for step in output.steps] == [words(30), ""]
    assert note_of(output)["kept_draft"] == 1

    (empty,) = refine(lambda request: " ").generate([request_of()])
    assert (empty.text, note_of(empty)["stopped"]) == (" ", "empty")


def test_without_a_range_nothing_is_asked_and_the_output_says_so():
    system = refine(lambda request: "A text.")

    (output,) = system.generate([request_of(length="", extractiveness="high")])

    assert (note_of(output)["stopped"], len(output.steps)) == ("unmeasured", 1)


def test_ranges_of_the_configuration_are_for_what_the_schema_gives_none():
    ranges = "[options.bands.extractiveness]\nnormal = [0.0, 0.5]"
    copied = "The council met on Monday. It voted on the bridge."
    system = refine(lambda request: words(10) if request.turns else copied, ranges)

    (output,) = system.generate([request_of(extractiveness="normal")])

    assert "- Extractiveness, requested: normal. Measured: 1. It should be 0 to 0.50." in last_turn(
        system.base.asked[1]
    )
    assert note_of(output)["stopped"] == "satisfied" and note_of(output)["left_to_model"] == {}


def test_what_the_base_is_not_given_is_measured_and_never_asked_for():
    system = refine(lambda request: words(10), follows={"length": None})

    (output,) = system.generate([request_of(topic=("bridge",))])

    assert (note_of(output)["stopped"], note_of(output)["missed"]) == ("exhausted", ["topic"])
    assert len(system.base.asked) == 1


def test_a_request_does_not_depend_on_its_batch():
    def answer(request):
        return words(10 + request.seed) if request.turns else words(30 + request.seed)

    requests = [request_of(number) for number in range(4)]
    together = refine(answer).generate(requests)
    alone = [refine(answer).generate([request])[0] for request in requests]

    assert (
        [output.text for output in together] == [output.text for output in alone] == [words(10 + n) for n in range(4)]
    )


def test_after_a_fault_a_sample_goes_on_with_the_steps_that_it_has():
    faults = [Unavailable("the server is away")]

    def answer(request):
        if request.turns and faults:
            raise faults.pop()
        return words(10) if request.turns else words(30)

    system = refine(answer)
    with pytest.raises(Unavailable):
        system.generate([request_of(0), request_of(1)])
    (output,) = system.generate([request_of(1)])

    assert output.text == words(10)
    first_drafts = [request.id for request in system.base.asked if not request.turns]
    assert first_drafts == ["s0", "s1"], "the first draft is not asked for again"


def test_the_same_id_with_another_request_begins_anew():
    faults = [SystemFault("no")]

    def answer(request):
        if request.turns and faults:
            raise faults.pop()
        return words(10) if request.turns or request.value("length") == "normal" else words(30)

    system = refine(answer)
    with pytest.raises(SystemFault):
        system.generate([request_of(0)])
    (output,) = system.generate([request_of(0, length="normal")])

    assert output.steps[0]["text"] == words(10)


def test_one_request_twice_in_a_batch_is_answered_twice():
    outputs = refine(lambda request: words(10)).generate([request_of(), request_of()])

    assert [output.text for output in outputs] == [words(10)] * 2
