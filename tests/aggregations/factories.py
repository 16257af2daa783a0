"""Small aggregation projects: three articles whose tuples were counted by hand."""

import json
from pathlib import Path

from annotation.models import Project
from annotation.services.aggregations.extraction import ExtractionOptions, extract_tuples
from annotation.services.people.projects import create_project
from epitome.aggregations.backgrounds import Background
from tests.export.factories import import_rows

ARTICLES = [
    {
        "id": "bridge",
        "title": "A bridge for Dunmere",
        "abstract": "Lindqvist wants a bridge from Dunmere to Port Issel.",
        "segments": [
            "Mara Lindqvist opened the meeting.",
            "Oren Tallis spoke against the bridge.",
            "It would join Dunmere to Port Issel.",
            "Lindqvist and Tallis had agreed on it in May.",
        ],
        "entities": [
            {"name": "Mara Lindqvist", "type": "person"},
            {"name": "Oren Tallis", "type": "person"},
            {"name": "Dunmere", "type": "location"},
            {"name": "Port Issel", "type": "location"},
        ],
    },
    {
        "id": "fares",
        "title": "Fares",
        "segments": ["Teal Line raised its fares.", "Corvin Shipping followed.", "Mara Lindqvist was silent."],
        "entities": [
            {"name": "Teal Line", "type": "org"},
            {"name": "Corvin Shipping", "type": "org"},
            {"name": "Mara Lindqvist", "type": "person"},
        ],
    },
    {"id": "rain", "title": "Rain", "segments": ["It rained.", "It stopped."], "entities": []},
]
"""Instances: the two people twice, the two places in sentences and in the abstract, the two companies once."""
N_INSTANCES = 5
BACKGROUNDS = {
    "Mara Lindqvist": "Mara Lindqvist is a Sellish politician.",
    "Oren Tallis": "Oren Tallis is a Sellish politician and mayor.",
    "Dunmere": "Dunmere is a fishing town on the north coast of Velmark.",
    "Port Issel": "Port Issel is a harbour town in northern Velmark.",
    "Teal Line": "Teal Line is a ferry company.",
}
"""All but one: Corvin Shipping has none."""


def article_rows() -> list[dict]:
    return [{**row, "segments": [{"text": text} for text in row["segments"]]} for row in ARTICLES]


def given_backgrounds() -> dict[str, Background]:
    return {
        name: Background(name, name, f"https://en.wikipedia.org/wiki/{name.replace(' ', '_')}", text, len(text.split()))
        for name, text in BACKGROUNDS.items()
    }


def make_articles(folder: Path, slug: str = "tesa") -> Project:
    project = create_project(slug=slug, name="Tesa", schema="tesa", kind="aggregation")
    import_rows(project, folder, article_rows())
    return project


def make_instances(folder: Path, slug: str = "tesa", **options) -> Project:
    project = make_articles(folder, slug)
    extract_tuples(project=project, options=ExtractionOptions(**options), given=given_backgrounds())
    return project


def write_backgrounds(path: Path) -> Path:
    rows = [
        {"name": row.name, "title": row.title, "url": row.url, "extract": row.text}
        for row in given_backgrounds().values()
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
