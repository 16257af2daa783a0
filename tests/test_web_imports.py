"""The web process starts without the heavy libraries: they cost memory and seconds that only workers need."""

import json
import subprocess
import sys
from pathlib import Path

from tests.web_imports import HEAVY_PACKAGES, LIST_WEB_IMPORTS


def test_the_web_process_imports_nothing_heavy(tmp_path, monkeypatch):
    monkeypatch.setenv("EPITOME_DATA_DIR", str(tmp_path))
    root = Path(__file__).resolve().parent.parent
    out = subprocess.run([sys.executable, "-c", LIST_WEB_IMPORTS], cwd=root, capture_output=True, text=True, check=True)

    loaded = set(json.loads(out.stdout))

    assert "django" in loaded
    assert loaded & set(HEAVY_PACKAGES) == set()


def test_the_first_visitor_does_not_wait_for_the_pages_to_be_imported(tmp_path, monkeypatch):
    monkeypatch.setenv("EPITOME_DATA_DIR", str(tmp_path))
    pages = "{'annotation.views.tasks.task', 'evaluation.views.reports.reports'}"
    code = f"import sys, epitome.site.wsgi; print({pages} <= {{*sys.modules}})"
    root = Path(__file__).resolve().parent.parent
    completed = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert completed.stdout.strip() == "True"
