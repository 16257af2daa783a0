"""Every number of a text in another language is right by ICU's words or refused with the reason, by every door."""

import io
import json
from dataclasses import replace

import pytest
from django.core.management import call_command

from epitome import metrics
from epitome.measures import MEASURES, SourceIndex, measure_summary
from epitome.measures.public import measure
from epitome.measures.stopwords import STOP_WORDS
from epitome.metrics.amplitude import PaperText, measure_amplitudes
from epitome.metrics.draws import Draws
from epitome.metrics.paper_columns import measure_run_texts
from epitome.metrics.rouge_scores import rouge_f, rouge_values
from epitome.schema import load_preset, preset_text
from tests.languages.texts import EXAMPLES, Example, copied, icu_pieces, icu_words, overlap_f
from tests.metrics.factories import EveryWordANoun

REFUSED = ("specificity", "readability", "fkgl", "f_normal", "f_high", "f_gap", "average")
"""What only English has, and the mean over it."""
each_language = pytest.mark.parametrize("example", EXAMPLES, ids=[example.language for example in EXAMPLES])
other_scripts = pytest.mark.parametrize(
    "example", [row for row in EXAMPLES if not row.latin], ids=[row.language for row in EXAMPLES if not row.latin]
)


def check_refused(scores: metrics.Scores, *more: str) -> None:
    """Every score that is defined for English alone has no number and a reason; there is at least one."""
    refused = {name: score for name, score in scores.scores.items() if any(key in name for key in (*REFUSED, *more))}
    assert refused
    for name, score in refused.items():
        assert score.value is None and score.undefined, (name, score.value)


def requests_of(example: Example) -> list[dict[str, object]]:
    base = {"topic": example.keyword, "specificity": "normal"}
    return [{**base, "length": "short"}, {**base, "length": "long", "specificity": "high"}]


@each_language
def test_measures_of_one_text(example):
    language, source = example.language, SourceIndex.from_lines([f"A : {example.said}", "B : 7"], "dialogue")
    request = {"topic": example.keywords, "keywords": example.keywords, "speaker": "A"}
    options = {"measures": list(MEASURES), "tagger": EveryWordANoun(), "language": language}
    values = measure_summary(example.good, source, request, **options)
    ours, said = (icu_words(text, language) for text in (example.good, example.said))
    content = [word for word in ours if word not in STOP_WORDS]
    assert values["length"].value == len(icu_pieces(example.good, language))
    assert values["keywords"].value == 0.5
    assert values["topic"].value == 1  # "☃7" has no letter
    assert values["speaker"].value == pytest.approx(sum(word in said for word in content) / len(content))
    plain = " ".join(ours) if " " in example.said else "".join(ours)
    spoken = SourceIndex.from_lines([example.said.lower()], "document")
    assert MEASURES["extractiveness"](plain, spoken).value == pytest.approx(copied(ours, said))
    for name in ("specificity", "readability"):
        assert values[name].value is None and language in values[name].undefined
    absent = measure_summary(example.bad, source, request, **options)
    assert absent["keywords"].value == 0 and absent["topic"].value == 0


@other_scripts
def test_a_language_that_nobody_named_has_no_english_number(example):
    scores = measure(example.good, measures=["specificity", "readability", "length"])
    check_refused(scores)
    assert scores.scores["length"].value == len(icu_pieces(example.good, example.language))
    unnamed = metrics.rouge([example.good], [example.good])
    check_refused(unnamed, "rouge")
    assert "language" in unnamed.scores["rouge1"].undefined and unnamed.scores["rouge1"].left_out == 1
    assert rouge_f([example.good], [example.good], ["rouge1"]) == {"rouge1": [None]}
    english = "The council met."
    assert rouge_values([english], [example.good], ["rouge1"])["rouge1"][0].value == 0
    texts = metrics.macsum([example.said] * 2, requests_of(example), [example.good] * 2, [example.bad] * 2)
    check_refused(texts, "rouge")
    check_refused(metrics.ccsbench(paper_rows(example)), "rouge")


@each_language
def test_rouge_and_the_table_of_macsum(example):
    language = example.language
    reference, prediction = (icu_words(text, language) for text in (example.good, example.said))
    f = pytest.approx(overlap_f(reference, prediction))
    assert metrics.rouge([example.good], [example.said], language=language).scores["rouge1"].value == f
    table = metrics.macsum(
        [example.said] * 2, requests_of(example), [example.good, example.bad], [example.said, example.bad],
        language=language, replicates=20,
    )  # fmt: skip
    check_refused(table)
    assert f"language:{language}" in table.signature
    assert table.scores["rouge1"].value == pytest.approx((overlap_f(reference, prediction) + 1) / 2)
    sizes = [len(icu_pieces(text, language)) for text in (example.good, example.said)]
    assert table.scores["cer.length"].value == pytest.approx(abs(sizes[1] - sizes[0]) / sizes[0] / 2)
    texts = {"references": [example.good], "predictions": [example.bad]}
    assert metrics.cer("specificity", **texts, language=language).undefined
    rows = ([example.good, example.bad], requests_of(example), [example.said] * 2)
    assert language in metrics.cc("specificity", *rows, language=language).undefined
    step = len(icu_pieces(example.bad, language)) - sizes[0]
    assert metrics.cc("length", *rows, language=language).value == pytest.approx(step / 2)


def paper_rows(example: Example) -> list[dict[str, object]]:
    asked = {"length": 0, "keywords": example.keywords}
    return [
        {"prediction": text, "reference": text, "requested": {**asked, "readability": value}}
        for text, value in ((example.good, "normal"), (example.bad, "high"))
    ]


@each_language
def test_the_table_of_papers_and_its_amplitudes(example):
    scores = metrics.ccsbench(paper_rows(example), language=example.language, replicates=20)
    check_refused(scores)
    assert scores.scores["rougeL"].value == 1 and scores.scores["sr"].value == 0.25
    schema = replace(load_preset("ccsbench"), language=example.language)
    values = [dict(row["requested"], length="0") for row in paper_rows(example)]
    texts = [example.good, example.bad]
    columns = measure_run_texts(schema, texts, values, texts, Draws(replicates=20))
    assert columns["sr"].value.value == 0.25 and columns["mad"].value.value == 0
    for name in ("normal", "high", "gap"):
        assert columns[name].value.value is None and example.language in columns[name].value.undefined
    before = [PaperText(text, readability=value) for text, value in zip(texts, ("normal", "high"), strict=True)]
    gap = measure_amplitudes(before, before[::-1], language=example.language)["gap"]
    assert gap.value.value is None and example.language in gap.value.undefined


@each_language
def test_the_command_and_its_report(example, tmp_path):
    schema = tmp_path / "own.toml"
    schema.write_text(preset_text("ccsbench").replace('language = "en"', f'language = "{example.language}"'))
    file, predictions = tmp_path / "papers.jsonl", tmp_path / "predictions.jsonl"
    rows = [
        {"id": f"s{number}", "text": example.said, "summary": text, "length": "0", "readability": value,
         "keywords": example.keywords}
        for number, (text, value) in enumerate(((example.good, "normal"), (example.bad, "high")))
    ]  # fmt: skip
    for path, lines in ((file, rows), (predictions, [example.good, example.good])):
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    words = ["measure", str(file), "--preset", str(schema), "--predictions", str(predictions)]
    printed, as_json = io.StringIO(), io.StringIO()
    call_command(*words, stdout=printed)
    call_command(*words, "--json", stdout=as_json)
    report = json.loads(as_json.getvalue())
    assert not {"f_normal", "f_high", "f_gap"} & set(report) and set(report["cer"]) == {"length", "keywords"}
    assert report["sr"] == 0.5 and report["f"]["readability"] == {}
    assert report["rouge"]["rouge1"] == 0.5
    assert printed.getvalue().count(f"not in {example.language}.") >= 3
    assert "nan" not in printed.getvalue().lower()
