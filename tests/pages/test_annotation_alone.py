"""The app at the bottom starts without the two above it: its navigation and help name nothing that only they have."""

import json
import os
import subprocess
import sys

from tests.conftest import ROOT

START = """
import importlib, json, os, sys
import django
from django.conf import settings
site = importlib.import_module(os.environ["DJANGO_SETTINGS_MODULE"])
values = {name: getattr(site, name) for name in dir(site) if name.isupper()}
values["INSTALLED_APPS"] = [app for app in site.INSTALLED_APPS if app not in ("evaluation", "modelbridge")]
settings.configure(**values | {"ROOT_URLCONF": "annotation.urls"})
django.setup()
from django.urls import get_resolver
from annotation.views.core.sections import OWN_PAGES, TABS
from annotation.views.help.chapters import CHAPTERS, PAGE_CHAPTERS
pages = {*get_resolver().reverse_dict}  # loads the pages, and with them what they register
names = {name for tab in (*TABS, *OWN_PAGES) for name in (tab.name, *tab.below)}
names |= {page_chapter.page for page_chapter in PAGE_CHAPTERS}
chapters = {page_chapter.chapter for page_chapter in PAGE_CHAPTERS} | {"admin"}
print(json.dumps({
    "has tabs": bool(list(TABS)),
    "foreign pages": sorted(names - pages),
    "foreign chapters": sorted(chapters - {place.name for place in CHAPTERS}),
    "models": sorted(name for name in sys.modules if name in ("evaluation.models", "modelbridge.models")),
}))
"""


def test_annotation_starts_without_the_apps_above_it(tmp_path, monkeypatch):
    monkeypatch.setenv("EPITOME_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", os.environ["DJANGO_SETTINGS_MODULE"])
    completed = subprocess.run([sys.executable, "-c", START], cwd=ROOT, capture_output=True, text=True, check=True)

    assert json.loads(completed.stdout.splitlines()[-1]) == {
        "has tabs": True,
        "foreign pages": [],
        "foreign chapters": [],
        "models": [],
    }
