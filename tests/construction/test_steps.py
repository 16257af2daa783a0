"""Each step builds its summaries from the model's answers, with the attributes it was built for and no others."""

import json
from collections import Counter

import pytest

from annotation.models import Annotation, Sample, SourceDocument
from annotation.services.core.errors import BadInput, Conflict
from modelbridge.models import ConstructedSample, ConstructionStep, Rewrite
from modelbridge.services.construction import steps
from tests.chat.stub import completion
from tests.construction.make_papers import list_papers
from tests.construction.rule_server import abstract_of, find_content, simplify

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]
ABSTRACTS = {paper["id"]: paper["abstract"] for paper in list_papers()}


def summaries_of(step):
    """(paper, summary, attributes, where it comes from) of everything that a step built."""
    rows = Annotation.objects.filter(sample__constructed__step=step).select_related("sample__document", "sample__group")
    return [
        (
            row.sample.document.external_id,
            row.payload["summary"],
            row.sample.attributes,
            json.loads(row.sample.raw_json)["raw_extra"],
        )
        for row in rows.order_by("pk")
    ]


def test_readability_keeps_the_abstract_as_normal_and_its_rewrite_as_high(run_step, server):
    step = run_step("readability", n=8)
    built = summaries_of(step)
    assert step.state == "done" and len(built) == 16 and len(server.answered) == 8
    by_paper = {}
    for paper, text, attributes, origin in built:
        by_paper.setdefault(paper, {})[attributes["readability"]] = (text, attributes, origin)
    for paper, pair in by_paper.items():
        normal, high = pair["normal"], pair["high"]
        assert (normal[0], high[0]) == (ABSTRACTS[paper], simplify(ABSTRACTS[paper]))
        assert set(normal[1]) == set(high[1]) == {"readability"}
        assert normal[2] == {"set": "readability", "origin": "abstract"}
        abstract = Annotation.objects.get(sample__document__external_id=paper, sample__constructed=None)
        call = Rewrite.objects.get(document__external_id=paper)
        assert high[2] == {
            "set": "readability",
            "origin": "rewrite:readability",
            "rewritten_from": str(abstract.public_id),
            "prompt_hash": call.prompt_hash,
            "system_revision": "rewriter@1",
        }
        assert len(call.prompt_hash) == 64 and call.cost > 0


def test_the_same_seed_draws_the_same_papers(run_step, project):
    papers = {call.document_id for call in run_step("readability", n=5).rewrites.all()}
    again = steps.plan_calls(project, "readability", {"n": 5}, 7)
    assert len(papers) == 5 and {call.document_id for call in again} == papers
    assert {call.document_id for call in steps.plan_calls(project, "readability", {"n": 5}, 8)} != papers


def test_focus_asks_twice_in_one_conversation_and_once_where_a_kind_is_none(run_step, server):
    step = run_step("focus")
    kinds = Counter(
        ("both" if all(content) else "empirical" if content[0] else "conceptual")
        for content in (find_content(abstract) for abstract in list(ABSTRACTS.values())[:20])
    )
    assert step.result["content"] == {**kinds, "neither": 0} and min(kinds.values()) > 0
    results = [json.loads(conversation) for conversation in server.answered]
    second = [messages for messages in results if len(messages) == 4]
    assert len(results) == 20 + kinds["both"] and len(second) == kinds["both"]
    for messages in second:
        assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
        assert "Empirical Content" in messages[2]["content"]

    for paper, text, attributes, origin in summaries_of(step):
        empirical, conceptual = find_content(ABSTRACTS[paper])
        assert set(attributes) == {"focus"}
        content = {"high": empirical, "low": conceptual}[attributes["focus"]]
        assert content  # no summary of a kind that the abstract does not have
        if empirical and conceptual:
            assert text == {"high": f"Measured: {content}", "low": f"The idea: {content}"}[attributes["focus"]]
            assert origin["origin"] == {"high": "rewrite:empirical", "low": "rewrite:conceptual"}[attributes["focus"]]
        else:
            assert text == ABSTRACTS[paper] and origin["origin"] == "abstract" and "rewritten_from" not in origin
    assert step.result["stored"] == 2 * kinds["both"] + kinds["empirical"] + kinds["conceptual"]
    assert step.result["left_out"] == {"none": kinds["empirical"] + kinds["conceptual"]}


@pytest.mark.parametrize(
    ("identified", "focuses"),
    [
        ({"Empirical Content": None, "Conceptual Content": "ideas"}, ["low"]),
        ({"Empirical Content": "data", "Conceptual Content": "None."}, ["high"]),
        ({"empirical_content": "", "conceptual_content": "N/A"}, []),
    ],
)
def test_a_kind_of_content_that_is_none_gives_no_summary(run_step, server, identified, focuses):
    server.answer = lambda _request, _headers: completion(json.dumps(identified))
    step = run_step("focus", n=3)
    assert [attributes["focus"] for _paper, _text, attributes, _origin in summaries_of(step)] == focuses * 3
    assert step.rewrites.count() == 3 and step.result["left_out"]["none"] == 3 * (2 - len(focuses))


def test_a_paraphrase_that_leaves_a_kind_out_gives_the_other_one(run_step, server):
    def answer(request, _headers):
        if len(request["messages"]) == 2:
            return completion('{"Empirical Content": "data", "Conceptual Content": "ideas"}')
        return completion('{"Empirical Summary": null, "Conceptual Summary": "The ideas."}')

    server.answer = answer
    step = run_step("focus", n=2)
    assert [row[2] for row in summaries_of(step)] == [{"focus": "low"}] * 2
    assert step.result["left_out"] == {"none": 2}


def test_an_answer_that_cannot_be_read_is_asked_for_once_more_with_what_is_wrong(run_step, server):
    def answer(request, _headers):
        messages = request["messages"]
        if len(messages) == 2:
            return completion("I would say it is mostly empirical.")
        if "bsearch" in str(messages) or "binary search" in messages[1]["content"]:
            return completion("Still a sentence.")
        return completion(json.dumps({"Empirical Content": "data", "Conceptual Content": None}))

    server.answer = answer
    step = run_step("focus", n=4, seed=1)
    states = Counter(step.rewrites.values_list("state", "attempt"))
    failed = states[("failed", 2)]
    assert states[("retried", 1)] == 4 and states[("done", 2)] == 4 - failed
    asked_again = [request["messages"][3]["content"] for request in server.asked if len(request["messages"]) == 4]
    assert len(asked_again) == 4 and all("it holds no JSON object" in text for text in asked_again)


def test_what_fails_twice_is_listed_and_resumed_alone(run_step, server, rewriter, project):
    server.answer = lambda request, headers: (
        completion("") if "dictionary" in str(request) or "sorted array" in str(request) else server.reply(request)
    )
    step = run_step("readability")
    assert step.state == "done" and step.result["left_out"] == {"failed": 1} and step.result["stored"] == 38
    failed = step.rewrites.get(state="failed")
    assert (failed.document.external_id, failed.error, failed.attempt) == ("bsearch", "it is empty", 2)

    server.answer = server.reply
    n_answered = len(server.answered)
    step = run_step("readability")
    assert len(server.answered) == n_answered + 1
    assert step.result["left_out"] == {} and step.result["stored"] == 40
    with pytest.raises(Conflict):
        steps.start_step(project=project, key="readability", revision=rewriter, by=None)


def test_keywords_are_those_that_occur_in_the_abstract(run_step):
    step = run_step("keywords")
    built = {paper: (text, attributes) for paper, text, attributes, _origin in summaries_of(step)}
    assert built["bsearch"] == (ABSTRACTS["bsearch"], {"keywords": ["binary search", "sorted array"]})
    assert built["bloom"][1] == {"keywords": ["Bloom filter", "hash function"]}  # by stem: hash functions
    assert "folds" not in built  # neither cross-validation nor overfitting stands in its abstract
    n_without = 20 - len(built)
    assert n_without and step.result["left_out"] == {"no keyword": n_without}
    assert not step.rewrites.exists()


def test_exact_keywords_are_compared_letter_for_letter(run_step):
    step = run_step("keywords", exact=True)
    built = {paper: attributes["keywords"] for paper, _text, attributes, _origin in summaries_of(step)}
    assert "hash function" not in built.get("bloom", []) and "Bloom filter" in built["bloom"]


def test_length_asks_for_the_bin_of_each_text_and_nothing_else(run_step):
    run_step("readability")
    run_step("focus")
    step = run_step("length", n=30)
    built = summaries_of(step)
    assert len(built) == 30 and len({(paper, text) for paper, text, _attributes, _origin in built}) == 30
    for _paper, text, attributes, _origin in built:
        assert attributes == {"length": str(min(max(len(text.split()) - 1, 0) // 50, 4))}
    assert sum(step.result["bins"].values()) == 30 and set(step.result["bins"]) == {"0", "1", "2", "3", "4"}
    assert step.result["few"] == [value for value, n in step.result["bins"].items() if n < 0.6]


def test_splits_follow_the_schemas_shares_by_origin(run_step, project):
    step = run_step("splits")
    splits = Counter(SourceDocument.objects.values_list("split", flat=True))
    assert splits == {"train": 12, "dev": 4, "test": 4} and step.result["sources"] == dict(splits)
    assert step.result["splits"]["by"] == "origin" and step.result["splits"]["shares"]["train"] == 0.6


def test_published_splits_are_kept(run_step, project):
    SourceDocument.objects.update(split="test")
    step = run_step("splits")
    assert step.result["kept"] == 20 and set(SourceDocument.objects.values_list("split", flat=True)) == {"test"}


def test_compositional_counts_by_hand(constructed):
    step = constructed["compositional"]
    pools = Counter()
    for name in ("readability", "focus"):
        for row in Sample.objects.filter(constructed__step__key=name).select_related("document"):
            pools[row.document.split] += 1
    built = Counter(Sample.objects.filter(constructed__step=step).values_list("document__split", flat=True))
    assert (built["train"], built["dev"]) == (pools["train"], pools["dev"])

    focus_test = Sample.objects.filter(constructed__step__key="focus", document__split="test").count()
    assert step.rewrites.count() == focus_test
    dropped = step.result["left_out"].get("no keyword", 0)
    assert built["test"] == 2 * (focus_test - dropped) and built["test"] > 0


def test_compositional_train_and_dev_have_two_or_three_attributes_and_test_has_four(constructed):
    for paper, text, attributes, origin in summaries_of(constructed["compositional"]):
        split = SourceDocument.objects.get(external_id=paper).split
        keys = set(attributes)
        assert attributes["length"] == str(min(max(len(text.split()) - 1, 0) // 50, 4))
        if split == "test":
            assert keys == {"length", "keywords", "readability", "focus"}
            assert (origin["origin"] == "rewrite:compositional") == (attributes["readability"] == "high")
        else:
            assert keys - {"keywords"} in ({"length", "readability"}, {"length", "focus"})
        assert all(keyword.lower().split()[0][:4] in text.lower() for keyword in attributes.get("keywords", []))


def test_a_compositional_rewrite_names_the_focus_summary_it_comes_from(constructed):
    step = constructed["compositional"]
    for call in step.rewrites.select_related("base__sample__constructed"):
        assert call.base.sample.constructed.step.key == "focus" and call.text == call.base.payload["summary"]
        assert call.text in [abstract_of([{"role": "user", "content": f"Abstract:\n{call.text}\n\nAnswer with"}])]


def test_later_steps_wait_for_earlier_ones(project, rewriter):
    with pytest.raises(Conflict, match="readability, focus"):
        steps.start_step(project=project, key="length", by=None)
    with pytest.raises(Conflict):
        steps.start_step(project=project, key="compositional", revision=rewriter, by=None)
    assert not ConstructionStep.objects.exists()


@pytest.mark.parametrize("options", [{"n": 0}, {"n": True}, {"n": 1.5}, {"m": 1}, {"n": 10**9}])
def test_an_option_that_does_not_fit_is_refused(project, rewriter, options):
    with pytest.raises(BadInput):
        steps.start_step(project=project, key="readability", revision=rewriter, options=options, by=None)
    assert not Rewrite.objects.exists()


def test_nothing_is_built_twice(constructed):
    keys = Counter(ConstructedSample.objects.values_list("step", "key"))
    assert max(keys.values()) == 1
    assert Annotation.objects.filter(sample__constructed__isnull=False).count() == ConstructedSample.objects.count()
