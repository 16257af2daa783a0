"""Weights are found or the places are told, hashed, and never loaded as code."""

import json
import os

import pytest

from epitome.systems.neural import weights
from epitome.systems.neural.weights import FOLDERS, find_weights, weights_hash
from epitome.systems.protocol import MissingWeights, SystemFault


@pytest.fixture(autouse=True)
def _offline(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def folder(path, config=None):
    path.mkdir()
    (path / "model.safetensors").write_bytes(b"weights")
    (path / "config.json").write_text(json.dumps(config or {"model_type": "bart"}))
    return path


def test_a_relative_name_is_looked_up_in_the_models_folders(tmp_path, monkeypatch):
    result = folder(tmp_path / "bart")
    monkeypatch.setenv(FOLDERS, f"{tmp_path / 'other'}{os.pathsep}{tmp_path}")

    assert find_weights("bart") == result


def test_missing_weights_say_where_was_looked(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDERS, str(tmp_path))

    with pytest.raises(MissingWeights) as error:
        find_weights("../nowhere/bart")

    assert str(tmp_path / "../nowhere/bart") in str(error.value)


@pytest.mark.parametrize(
    ("name", "permitted"),
    [
        ("{models}/bart", True),
        ("bart", True),
        ("deep/er/still", True),
        ("{own}/weights", True),
        ("facebook/bart-large", True),
        ("{models}", True),
        ("/", False),
        ("/nowhere/at/all", False),
        ("{models}/../secret", False),
        ("../models/bart", False),
        ("{other}/weights", False),
        ("{models}/link", False),
        ("link", False),
        ("~/bart", False),
        ("here", False),
        ("not/in/any/folder", False),
    ],
)
def test_people_of_a_project_name_weights_of_the_operator_the_hub_or_their_own(tmp_path, monkeypatch, name, permitted):
    places = {place: tmp_path / place for place in ("models", "own", "other", "secret", "cwd")}
    for place in places.values():
        place.mkdir()
    for item in (places["models"] / "bart", places["models"] / "deep/er/still", places["cwd"] / "here"):
        item.mkdir(parents=True)
    (places["models"] / "link").symlink_to(places["secret"])
    monkeypatch.setenv(FOLDERS, str(places["models"]))
    monkeypatch.chdir(places["cwd"])
    assert weights.is_permitted(name.format(**places), [places["own"]]) is permitted


@pytest.mark.models
def test_a_hub_name_that_is_not_stored_here_says_so(monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)

    with pytest.raises(MissingWeights, match=r'"facebook/no-such-model".*hub'):
        find_weights("facebook/no-such-model")


def test_files_that_can_hold_code_are_refused(tmp_path):
    result = folder(tmp_path / "old")
    (result / "model.safetensors").rename(result / "pytorch_model.bin")

    with pytest.raises(MissingWeights, match=r"pytorch_model\.bin, which can hold code"):
        find_weights(str(result))


def test_code_that_comes_with_weights_is_refused(tmp_path):
    result = folder(tmp_path / "remote", {"model_type": "bart", "auto_map": {"AutoModel": "canary.Model"}})
    (result / "canary.py").write_text(f"open({str(tmp_path / 'canary')!r}, 'w')")

    with pytest.raises(SystemFault, match="auto_map"):
        find_weights(str(result))

    assert not (tmp_path / "canary").exists()


def test_the_hash_follows_the_bytes_and_is_not_computed_twice(tmp_path, monkeypatch):
    result = folder(tmp_path / "bart")
    first = weights_hash(result)
    reads = []
    monkeypatch.setattr(weights.hashlib, "sha256", lambda *data: reads.append(1) or _digest(*data))

    assert weights_hash(result) == first
    assert len(reads) == 1  # the names, not the file

    (result / "model.safetensors").write_bytes(b"other weights")
    assert weights_hash(result) != first


def _digest(*data):
    import _hashlib

    return _hashlib.openssl_sha256(*data)


@pytest.mark.models
def test_weights_cut_short_are_refused_with_the_reason(tmp_path, folder_of, system_of):
    import shutil

    result = shutil.copytree(folder_of("bart"), tmp_path / "cut")
    file = result / "model.safetensors"
    file.write_bytes(file.read_bytes()[:5000])

    with pytest.raises(SystemFault, match="cannot be loaded"):
        system_of("seq2seq", f'weights = "{result}"').load()


@pytest.mark.models
def test_weights_that_lack_a_layer_are_refused(tmp_path, folder_of, system_of):
    import shutil

    result = shutil.copytree(folder_of("bart"), tmp_path / "more")
    config = json.loads((result / "config.json").read_text())
    (result / "config.json").write_text(json.dumps({**config, "encoder_layers": 3}))

    with pytest.raises(SystemFault, match="weights are missing"):
        system_of("seq2seq", f'weights = "{result}"').load()
