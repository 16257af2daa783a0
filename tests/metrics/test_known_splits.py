"""A published split is known by what is in it."""

import json

import pytest

from epitome.formats.reading import input_file
from epitome.metrics.known_splits import recognise_split
from epitome.metrics.macsum_samples import ORDINAL, read_macsum_file
from tests.metrics.factories import build_macsum_file, read_requests

FOLDERS = {"macsum-doc-dev": "macdoc", "macsum-dial-dev": "macdial"}


def read(shared, key: str) -> list:
    return json.loads((shared / "data" / "macsum" / FOLDERS[key] / "val.json").read_text(encoding="utf-8"))


def known(tmp_path, content: list, **how) -> object:
    file = tmp_path / "renamed.json"
    file.write_text(json.dumps(content, **how), encoding="utf-8")
    return recognise_split(read_macsum_file(input_file(file)))


@pytest.mark.parametrize("key", FOLDERS)
def test_a_dev_file_is_known_under_any_name_and_layout(key, shared, tmp_path):
    content = read(shared, key)
    content[0]["references"][0]["summary"] += "\n"
    result = known(tmp_path, content, indent=1, sort_keys=True)
    assert result.key == key
    assert "by its content" in result.sure


@pytest.mark.parametrize("key", FOLDERS)
def test_one_other_word_makes_it_another_file(key, shared, tmp_path):
    content = read(shared, key)
    content[3]["references"][0]["summary"] += " more"
    assert known(tmp_path, content) is None


@pytest.mark.parametrize(("key", "dataset"), [("macsum-doc-test", "cnndm"), ("macsum-dial-test", "qmsum")])
def test_a_test_file_is_known_by_its_counts_and_requests(key, dataset):
    rows = list(read_requests(key))
    result = recognise_split(build_macsum_file(key, dataset, rows))
    assert (result.key, result.dataset, result.split) == (key, key[:-5], "test")
    assert "how often each value is asked for" in result.sure
    assert recognise_split(build_macsum_file(key, "own", rows)) is None
    assert recognise_split(build_macsum_file(key, dataset, rows[:-1])) is None
    assert recognise_split(build_macsum_file(key, dataset, [{**rows[0], "length": "long"}, *rows[1:]])) is None


def test_a_train_file_is_taken_for_it_by_its_counts_alone():
    rows = [dict.fromkeys(ORDINAL, "normal")] * 4278
    result = recognise_split(build_macsum_file("macsum-doc-train", "cnndm", rows))
    assert (result.name, result.sure) == ("MAC-Doc train", "taken for it by its 4278 samples of 755 sources alone")
