"""Scores of extract-then-rewrite systems: the best extracted sentence for each summary sentence, by hand."""

from dataclasses import replace

import pytest

from annotation.models import Contrastive, Sample
from annotation.services.core.errors import BadInput
from epitome.schema import SchemaError, load_preset
from epitome.systems.config import parse_config
from epitome.systems.extract_scorer import ExtractScorer
from epitome.systems.fakes import score_of
from epitome.systems.protocol import Request, SystemFault, TokenScores
from modelbridge.services.runs.extracts import load_extracts
from modelbridge.services.systems import systems
from tests.contrastive_report.factories import add_gold

SOURCE = ("Police arrested two men.", "The bridge opened.", "It rained.", "Nobody came.")
SHARED_WORDS = {
    ("Police arrested two men.", "Two men were held."): -2.0,
    ("The bridge opened.", "A bridge opened."): -1.0,
}


class TableScorer:
    """A score for each (source, sentence) of a table, -9 for any other; two tokens. Counts what it is asked."""

    role, key, kind, follows, batch_size, weights_hash = "score", "table", "fake-scorer", {}, 64, "w"

    def __init__(self, table):
        self.table, self.asked = table, []

    def score(self, batch):
        pairs = [(request.segments[0]["text"], request.text) for request in batch]
        assert all(len(request.segments) == 1 for request in batch)
        self.asked += pairs
        halves = [self.table.get(pair, -9.0) / 2 for pair in pairs]
        return [TokenScores(("a", "b"), (half, half)) for half in halves]


def make_scorer(table, options=""):
    text = f'[system]\nkey = "fas"\nkind = "extract-scorer"\n[options]\nscorer = "fake-scorer"\n{options}\n'
    inner = TableScorer(table)
    return ExtractScorer(parse_config(text), inner), inner


def request_of(text, source=SOURCE, **more):
    segments = tuple({"speaker": "", "text": sentence} for sentence in source)
    return Request("r1", segments, {}, load_preset("macsum-doc"), text=text, **more)


def test_each_summary_sentence_counts_with_its_best_extracted_sentence():
    scorer, inner = make_scorer(SHARED_WORDS, "n = 2")
    (scores,) = scorer.score([request_of("Two men were held. A bridge opened.")])
    assert scores.total == pytest.approx(-3.0) and len(scores.tokens) == 4
    assert scores.mean == pytest.approx(-0.75)
    assert len(inner.asked) == 4  # two extracted sentences by two of the summary


def test_sentences_without_capitals_count_one_by_one():
    table = {("Police arrested two men.", "two men were held."): -2.0, ("The bridge opened.", "a bridge opened."): -1.0}
    scorer, _inner = make_scorer(table, "n = 2")
    (scores,) = scorer.score([request_of("two men were held. a bridge opened.")])
    assert scores.total == pytest.approx(-3.0)


def test_a_sentence_that_fits_none_costs_its_least_bad_pair():
    table = {("The bridge opened.", "It snowed."): -4.0, ("Police arrested two men.", "It snowed."): -6.0}
    scorer, _inner = make_scorer(table, "n = 2")
    (scores,) = scorer.score([request_of("It snowed.")])
    assert scores.total == pytest.approx(-4.0)


def test_of_a_contrastive_only_the_changed_sentence_is_scored_anew():
    scorer, inner = make_scorer(SHARED_WORDS, "n = 2")
    gold = request_of("Two men were held. A bridge opened.")
    changed = [replace(gold, text=f"Two men were held. A bridge {word}.") for word in ("closed", "fell", "rose")]
    scored = scorer.score([gold, *changed])
    assert [scores.total for scores in scored] == pytest.approx([-3.0, -11.0, -11.0, -11.0])
    assert len(inner.asked) == 4 + 3 * 2
    scorer.score([replace(gold, text="Two men were held. A bridge sank.")])
    assert len(inner.asked) == 4 + 3 * 2 + 2  # the gold's pairs are still known in the next call
    scorer.score([replace(gold, id="r2")])
    assert len(inner.asked) == 4 + 3 * 2 + 2 + 4  # of another sample nothing is


@pytest.mark.parametrize(
    ("options", "extracted"),
    [
        ("n = 1", ["Police arrested two men."]),
        ("", list(SOURCE)),
        ('extractor = "textrank"\nn = 2', ["The bridge opened.", "The bridge opened late."]),
        ('extractor = "uploaded"\nextracts = "picked"\nn = 2', ["One.", "Two."]),
    ],
)
def test_the_extractor_picks_sentences_in_the_order_of_the_source(options, extracted):
    scorer, _inner = make_scorer({}, options)
    source = (*SOURCE[:2], "The bridge opened late.", *SOURCE[2:]) if "textrank" in options else SOURCE
    assert scorer.extract_sentences(request_of("x", source, extract=("One.", " ", "Two.", "Three."))) == extracted


@pytest.mark.parametrize(
    ("request_", "said"),
    [(request_of(""), "no text to score"), (request_of("A text.", ()), "no sentence of its source")],
)
def test_nothing_to_score_is_said(request_, said):
    scorer, _inner = make_scorer({})
    with pytest.raises(SystemFault, match=said):
        scorer.score([request_])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ('scorer = "lead"', "scorer"),
        ('scorer = "extract-scorer"', "scorer"),
        ("", "scorer"),
        ('scorer = "fake-scorer"\nextractor = "oracle"', "extractor"),
        ('scorer = "fake-scorer"\nn = 0', r"n.*1"),
        ('scorer = "fake-scorer"\nextractor = "uploaded"', "extracts"),
        ('scorer = "fake-scorer"\nextracts = "picked"', "extracts"),
        ('scorer = "fake-scorer"\nmost = 7', "most"),
    ],
)
def test_a_wrong_option_is_named(options, said):
    with pytest.raises(SchemaError, match=said):
        parse_config(f'[system]\nkey = "fas"\nkind = "extract-scorer"\n[options]\n{options}\n')


UPLOADED = (
    '[system]\nkey = "fas"\nkind = "extract-scorer"\n'
    '[options]\nscorer = "fake-scorer"\nextractor = "uploaded"\nextracts = "echo"\n'
)


@pytest.mark.django_db(transaction=True)
def test_extracts_are_the_outputs_of_the_newest_run_when_the_run_starts(project, echo, start_run, work_off):
    revision = systems.register_system(project=project, toml_text=UPLOADED, by=None)
    sample = Sample.objects.order_by("pk")[0]
    add_gold(sample, "The council voted. It rained.", {"S-V": ["The council voted. It snowed."]})
    with pytest.raises(BadInput, match='No finished run of the system "echo"'):
        start_run(revision, over="contrastives")
    extracts = work_off(start_run(echo))
    extracts.outputs.filter(sample=sample).update(text="First line.\nSecond line. It goes on.")
    run = start_run(revision, over="contrastives")
    work_off(start_run(echo, seed=8))
    assert load_extracts(run, [sample.pk]) == {sample.pk: ("First line.", "Second line. It goes on.")}
    run = work_off(run)
    row = run.outputs.get()
    assert run.state == "done" and row.state == "done", row.error
    # The fake scorer knows neither source nor extract, so every pair of a sentence has the score of the sentence.
    key = f"{sample.document.external_id}#{sample.position}"
    expected = [
        sum(score_of(replace(request_of(sentence), id=key)).total for sentence in ("The council voted.", last))
        for last in ("It rained.", "It snowed.")
    ]
    example = Contrastive.objects.get()
    assert [row.scores["gold"]["sum"], row.scores["texts"][str(example.public_id)]["sum"]] == pytest.approx(expected)
