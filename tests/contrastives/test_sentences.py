"""Ten sentences of our own, parsed by the shipped parser, which together have every rule and every filter."""

from collections import Counter

from epitome.contrastives import RULES, apply_edits, undo_edits
from epitome.contrastives.batches import BatchRequest, TupleText, decode_answer, encode_answer, make_batch
from epitome.contrastives.pairs import FILTERS
from epitome.contrastives.parsing import load_parser

SENTENCES = (
    ("Police arrested two men after the robbery.", "On Monday officers praised a boy during the old parade."),
    ("The Senate asked Congress for money.", "The House of Lords told Parliament about a new tax."),
    ("A farmer in Wales sold apples, pears and plums to a school.", "The baker from Bristol gave bread to a hospital."),
    ("The young singer wrote a sad song and sang it.", "A famous poet reads happy poems and records them."),
    ("Snow fell in May and rain fell on Monday.", "Hail hit the town in April and in March."),
    ("He left before noon because the small boat was late.", "They came after dark although a big ship was early."),
    ("Anna met Bob in Paris and Carl in Rome.", "Dora saw Emil in Oslo with Fritz from Bonn."),
    ("The mayor opened a new bridge over the river.", "The governor opened a new bridge over the river and a road."),
    ("Walk the dog on a long walk.", "Walking a cat is a short walk."),
    ("Robbery", "Police arrested two men."),
)


def make_all(*, inflect: bool) -> BatchRequest:
    return BatchRequest(
        tuples=[TupleText(f"s#{number}", gold, number) for number, (gold, _source) in enumerate(SENTENCES)],
        sources=[[source] for _gold, source in SENTENCES],
        seed=496,
        rules=RULES,
        quotas=dict.fromkeys(RULES, 100),
        inflect=inflect,
    )


def test_every_rule_and_every_filter_occurs():
    made_tuples = make_batch(make_all(inflect=True), load_parser())
    steps: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    for (gold, _source), made_tuple in zip(SENTENCES, made_tuples, strict=True):
        for counts in made_tuple.counts.values():
            steps.update(counts)
        for example in made_tuple.examples:
            rules[example.rule] += 1
            assert apply_edits(gold, example.edits) == example.text != gold
            assert undo_edits(example.text, example.edits) == gold
    assert set(rules) == set(RULES)
    rare = {"double", "as gold"}  # see tests/contrastives/test_rules.py
    assert {name for name in FILTERS if steps[name]} >= set(FILTERS) - rare
    assert made_tuples[-1].examples == []


def test_the_way_through_another_process_loses_nothing():
    request = make_all(inflect=False)
    assert BatchRequest.from_line(request.as_line()) == request
    made_tuples = make_batch(request, load_parser())
    assert decode_answer(encode_answer(made_tuples)) == made_tuples
