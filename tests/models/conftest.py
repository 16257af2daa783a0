"""Tiny models with random weights, made once per session. Tests marked `models` are skipped where torch is absent."""

from importlib.util import find_spec

import pytest

from epitome.schema import load_preset
from epitome.systems.config import parse_config
from epitome.systems.protocol import Request
from epitome.systems.registry import make_system
from epitome.training.shipped import missing_libraries

TEXT = "the cat sat on the mat and we went home before the rain"


def pytest_collection_modifyitems(items):
    if lacking := missing_libraries():
        reason = f"NOT RUN: {lacking} not installed (make install-models)"
        for item in items:
            if item.get_closest_marker("models"):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    """Tiny models gain nothing from several threads, and lose much where other work is done beside them."""
    if find_spec("torch"):
        import torch

        torch.set_num_threads(1)


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory):
    """architecture -> folder of a tiny model of it."""
    from epitome.training.scratch import Scratch, build_model

    fields = {}

    def get(architecture="bart", **shape):
        key = (architecture, *sorted(shape.items()))
        if key not in fields:
            size = {"width": 32, "layers": 2, "vocabulary": 300, "positions": 256, "feed_forward": 64} | shape
            folder = tmp_path_factory.mktemp(architecture)
            fields[key] = build_model(folder, [TEXT] * 5, Scratch(architecture=architecture, **size), 1)
        return fields[key]

    return get


@pytest.fixture(scope="session")
def schema():
    return load_preset("macsum-dial")


@pytest.fixture(scope="session")
def request_of(schema):
    """A request with so many turns; its length value follows its number."""

    def make_request(number, turns=3, text=None, **values):
        fields = {"length": ("short", "normal", "long")[number % 3], "extractiveness": "full", "specificity": "high"}
        fields |= {"topic": ("rain",), "speaker": ()} | values
        segments = tuple(
            {"speaker": "Cat", "text": " ".join(TEXT.split()[: 4 + (number + turn) % 8])} for turn in range(turns)
        )
        return Request(id=f"r{number}", segments=segments, values=fields, schema=schema, text=text)

    return make_request


@pytest.fixture
def requests(request_of):
    return [request_of(number, turns=1 + number * 3 % 7) for number in range(7)]


@pytest.fixture(scope="session")
def system_of():
    """A system from its kind, its options as TOML lines, and lines of its decoding."""

    def get(kind, options, decoding="beams = 2\nmax_tokens = 12\nmin_tokens = 2"):
        text = f'[system]\nkey = "tested"\nkind = "{kind}"\n[options]\n{options}\n'
        if "scorer" not in kind:
            text += f"[options.decoding]\n{decoding}\n"
        return make_system(parse_config(text))

    return get
