import pytest

from epitome.text.pipeline import load_pipeline


@pytest.fixture(scope="session")
def nlp():
    """The shipped pipeline, loaded once."""
    return load_pipeline(profile="topics")
