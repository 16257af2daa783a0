"""Pages add style sheets and scripts to those of the layout, and never replace them."""

from pathlib import Path

from django.conf import settings

LAYOUT = 'extends "annotation/core/_page.html"'


def test_no_page_loses_the_style_sheets_of_the_layout():
    templates = [path for path in Path(settings.BASE_DIR / "templates").rglob("*.html") if LAYOUT in path.read_text()]
    assert len(templates) > 50
    replaced = [
        path.name
        for path in templates
        if "{% block head %}" in path.read_text() and "{{ block.super }}" not in path.read_text()
    ]
    assert replaced == []
