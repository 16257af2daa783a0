"""Rounds of marked errors over outputs that other tools were given, and files of these tools."""

import json
from pathlib import Path
from typing import Any

from annotation.models import Project, Role
from evaluation.models import Round
from modelbridge.models import SystemOutput
from tests.rounds.factories import launch_new_round, make_run, member, project_with_gold

WOLF = "A wolf 🐺 ran through the valley in June."
CROSSED = "A wolf crossed."
KILLED = "A wolf 🐺 crossed the valley in June and killed sheep."
TEXTS = {"sysA": (WOLF, KILLED, "A bear 🐻 slept."), "sysB": (CROSSED, "Sheep were there.", "A bear woke up.")}


def outside_project(slug: str = "wolves", **changes: tuple[str, ...]) -> Project:
    """Three samples with an output of each of two systems. changes: of the texts of a system."""
    project = project_with_gold(slug, documents=3)
    for system, texts in {**TEXTS, **changes}.items():
        outputs = SystemOutput.objects.filter(run=make_run(project, system)).select_related("sample").order_by("pk")
        by_source: dict[int, SystemOutput] = {}
        for output in outputs:
            by_source.setdefault(output.sample.document_id, output)
        for output, text in zip(by_source.values(), texts, strict=True):
            SystemOutput.objects.filter(pk=output.pk).update(text=text)
    return project


def outside_round(project: Project, template: str = "error-spans-esa", **options: Any) -> Round:
    """A launched round of both systems over all samples, with two raters of the project."""
    text = f'[round]\nname = "Errors"\ntemplate = "{template}"\nseed = 7\nraters_per_item = 2\n[selection]\nn = 6\n'
    for number in (1, 2):
        member(project, f"{project.slug}-rater{number}", Role.RATER)
    text += '[[target]]\nsystem = "sysA"\n[[target]]\nsystem = "sysB"\n'
    return launch_new_round(project, text=text, **options)


def judged(rater: str = "calm-otter", output: str = WOLF, system: str = "sysA", **more: Any) -> dict[str, Any]:
    """What one person said of one output in Pearmut; marks: (first, last) UTF-16 unit and severity."""
    spans = [
        {"start_i": first, "end_i": last, "category": more.get("category"), "severity": severity}
        for first, last, severity in more.get("marks", [(36, 39, "major")])
    ]
    annotation = {"score": more.get("score", 40), "error_spans": spans, "textfield": more.get("comment")}
    return {
        "annotation": [{system: annotation}],
        "item": [{"src": "x", "tgt": {system: output}, "item_id": more.get("item", "wolf-3")}],
        "user_id": rater,
    }


def pearmut_file(folder: Path, *entries: dict[str, Any], name: str = "annotations.json") -> Path:
    path = folder / name
    path.write_text(json.dumps({"campaign": list(entries)}, ensure_ascii=False), encoding="utf-8")
    return path


def factgenie_entry(output: str = KILLED, rater: str = "reader_one", **more: Any) -> dict[str, Any]:
    return {
        "dataset": "d",
        "split": "test",
        "example_idx": 0,
        "setup_id": "sysa",
        "output": output,
        "annotations": more.get("annotations", [{"type": 0, "text": "June", "start": 32}]),
        "metadata": {
            "annotator_id": rater,
            "annotation_span_categories": [{"name": "Contradiction"}, {"name": "Not checkable"}],
        },
        "options": more.get("options", []),
        "text_fields": more.get("text_fields", []),
        "flags": [],
    }
