"""Removes a project with all that hangs on it, which the product itself never does: for the examples only."""

from typing import Any

from django.apps import apps
from django.core.files.storage import default_storage
from django.db.models import Field, ForeignKey, Model

from annotation.models import Job, Project
from annotation.services.exports import exporting
from annotation.transactions import write_transaction

APPS = ("annotation", "modelbridge", "evaluation")


def remove_project(project: Project) -> int:
    """Delete the project, its pilots, every row that belongs to them, and the files of its exports; one transaction.
    Returns the number of rows."""
    files = [
        f"{exporting.FOLDER}/{job_id}{ending}"
        for job_id in Job.objects.filter(project=project, kind="export").values_list("public_id", flat=True)
        for suffix in exporting.ENDINGS.values()
        for ending in (suffix, f"{suffix}.manifest.json")
    ]
    n_rows = 0
    with write_transaction():
        keys = [*Project.objects.filter(pilot_of=project).values_list("pk", flat=True), project.pk]
        paths = find_paths()
        for model in sort_children_first(list(paths)):
            rows = model._base_manager.filter(**{f"{paths[model]}__in": keys})
            for field in _foreign_keys(model):
                if field.related_model is model and field.null:  # rows that point at another row of the table first
                    n_rows += rows.filter(**{f"{field.name}__isnull": False}).delete()[0]
            n_rows += rows.delete()[0]
    for name in files:
        default_storage.delete(name)
    return n_rows


def find_paths() -> dict[type[Model], str]:
    """Model -> the shortest lookup from its rows to the project, through fields that are never empty where possible."""
    models = [model for label in APPS for model in apps.get_app_config(label).get_models()]
    paths: dict[type[Model], str] = {Project: "pk"}
    for allow_null in (False, True):
        is_growing = True
        while is_growing:
            reached = dict(paths)
            for model in models:
                if model not in paths and (path := _find_path(model, paths, allow_null=allow_null)):
                    reached[model] = path
            is_growing, paths = len(reached) > len(paths), reached
    return paths


def sort_children_first(models: list[type[Model]]) -> list[type[Model]]:
    """Every model before those that it points at. Raises ValueError for a circle."""
    remaining, ordered = list(models), []
    while remaining:
        pointed_at = {
            field.related_model for model in remaining for field in _foreign_keys(model) if field.related_model != model
        }
        free = [model for model in remaining if model not in pointed_at]
        if not free:
            raise ValueError(f"these models point at each other: {', '.join(model.__name__ for model in remaining)}")
        ordered += free
        remaining = [model for model in remaining if model not in free]
    return ordered


def _find_path(model: type[Model], paths: dict[type[Model], str], *, allow_null: bool) -> str:
    for field in _foreign_keys(model):
        if field.related_model in paths and field.related_model is not model and (allow_null or not field.null):
            path = paths[field.related_model]  # type: ignore[index]
            return field.name if path == "pk" else f"{field.name}__{path}"
    return ""


def _foreign_keys(model: type[Model]) -> list[ForeignKey[Any, Any]]:
    fields: list[Field[Any, Any]] = list(model._meta.concrete_fields)
    return [field for field in fields if isinstance(field, ForeignKey)]
