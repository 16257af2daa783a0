"""The base install, without spaCy and ICU: what needs them names the extra, everything else answers."""

import json
import sys

import pytest

from epitome import metrics
from epitome.cli.main import main
from epitome.measures import measure, spacy_tagger
from epitome.text.missing_library import MissingLibrary
from epitome.text.pipeline import PipelineNotFound, _load_cached
from epitome.text.unspaced import _load_icu
from tests.formats import papers_tables as papers
from tests.metrics.macsum_small import entries, write

INSTALL = "pip install 'epitome[language]'"
CACHES = (spacy_tagger, _load_cached, _load_icu)


@pytest.fixture(autouse=True)
def base_install(monkeypatch):
    for name in ("spacy", "icu4py"):
        monkeypatch.setitem(sys.modules, name, None)
    for cached in CACHES:
        cached.cache_clear()
    yield
    for cached in CACHES:
        cached.cache_clear()


def test_a_summary_is_measured_and_specificity_names_the_extra():
    scores = measure("The council met.", source="The council met on Monday.")
    assert scores["length"].value == 4
    assert scores["extractiveness"].value == 1
    assert scores["specificity"].value is None
    assert scores["specificity"].undefined.endswith(INSTALL)


def test_what_is_asked_for_by_name_is_refused_with_the_extra():
    with pytest.raises(PipelineNotFound, match=r"needs spaCy.*epitome\[language\]"):
        measure("The council met.", measures=["specificity"])
    with pytest.raises(PipelineNotFound, match=r"epitome\[language\]"):
        metrics.cer("specificity", ["The council met."], ["It met."])
    assert metrics.cer("length", ["The council met."], ["It met."]).value == 0.25


def test_rouge_of_chinese_needs_icu_and_rouge_of_german_does_not():
    with pytest.raises(MissingLibrary, match=r"Chinese.*epitome\[language\]"):
        metrics.rouge(["\u4f1a\u8bae"], ["\u4f1a\u8bae"], language="zh")
    assert metrics.rouge(["Der Rat tagte."], ["Der Rat tagte."], language="de")["rougeL"].value == 1


def test_the_command_names_the_extra_in_one_line(tmp_path, capsys):
    assert main(["measure", str(write(tmp_path, entries()))]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"epitome: tagging words with en_epitome_sm needs spaCy, which is not installed: {INSTALL}\n"


def test_a_file_without_specificity_is_measured(tmp_path, capsys):
    table = write(tmp_path, papers.as_csv(), "papers.csv")
    assert main(["measure", str(table), "--preset", "ccsbench", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["f"]["length"]
