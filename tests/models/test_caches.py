"""Caches are given to models under the name that the installed transformers has for them."""

from types import SimpleNamespace

import pytest

from epitome.systems.neural.caches import cache_argument, cache_of


class Older:
    def forward(self, input_ids=None, past_key_values=None): ...


class Newer:
    def forward(self, input_ids=None, cache=None): ...


class Adapted:
    def get_base_model(self):
        return Newer()

    def forward(self, *args, **kwargs): ...


@pytest.mark.parametrize(("model", "name"), [(Older(), "past_key_values"), (Newer(), "cache"), (Adapted(), "cache")])
def test_the_argument_is_named_by_the_signature(model, name):
    assert cache_argument(model, "kept") == {name: "kept"}


def test_what_a_model_returns_is_found_under_either_name():
    assert cache_of(SimpleNamespace(past_key_values="kept")) == cache_of(SimpleNamespace(cache="kept")) == "kept"
    assert cache_of(SimpleNamespace(logits=1)) is None
