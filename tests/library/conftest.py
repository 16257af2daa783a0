"""Calls of the command line, as a terminal sees them."""

import pytest

from epitome.cli.main import main


@pytest.fixture
def call(capsys, monkeypatch):
    """call(words) -> (status, stdout, stderr)"""
    monkeypatch.delenv("EPITOME_TRACEBACK", raising=False)

    def run(*words):
        try:
            status = main([str(word) for word in words])
        except SystemExit as end:
            status = end.code
        return status, *capsys.readouterr()

    return run
