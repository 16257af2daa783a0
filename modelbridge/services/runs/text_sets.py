"""What runs of scorers, rankers, rewriters and judges work on: sets of texts, by name; other apps register theirs."""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.extension_points import ExtensionPoint
from annotation.models import Project
from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names
from epitome.systems.protocol import Role
from modelbridge.models import OutputState, Run, SystemOutput
from modelbridge.services.runs.changed_requests import TEXTS
from modelbridge.services.runs.references import references_of
from modelbridge.services.runs.run_labels import label_run

ALONE = "gold"
"""Key of the one text of a sample, or of the text that others are compared with."""


@dataclass(frozen=True, slots=True)
class Material:
    """One text of a sample, or the texts to rank. origin: the row that it was read from, as `annotation:12`.
    train_counts: per candidate, for how many instances of the train split it is gold."""

    key: str
    text: str | None = None
    candidates: tuple[str, ...] = ()
    origin: str = ""
    train_counts: tuple[int, ...] = ()


class TextSet(Protocol):
    """A set of texts. `Run.over` is its key, or key:argument."""

    key: str
    title: Any
    roles: frozenset[Role]

    def list_arguments(self, project: Project) -> list[tuple[str, str]]:
        """(argument, words for people) of everything that can be chosen; [("", "")] where there is nothing to choose.
        Empty: the project has no such texts."""
        ...

    def check(self, project: Project, argument: str) -> None:
        """Raises BadInput where there is no such set."""
        ...

    def list_samples(self, project: Project, argument: str) -> Collection[int]:
        """Ids of the samples that have a text."""
        ...

    def load(self, project: Project, argument: str, samples: Collection[int]) -> dict[int, list[Material]]:
        """sample id -> its texts, the gold one first; samples without any are absent."""
        ...


TEXT_SETS = ExtensionPoint[TextSet]("sets of texts", key=lambda text_set: text_set.key)


def find_text_set(over: str, role: str) -> tuple[TextSet, str]:
    """(set, argument) of `Run.over`. Raises BadInput naming those that fit the role."""
    key, _colon, argument = over.partition(":")
    if key not in TEXT_SETS or role not in TEXT_SETS[key].roles:
        known = join_names(text_set.key for text_set in TEXT_SETS if role in text_set.roles)
        message = _("This system works on texts that are there already; say which: %(known)s.")
        raise BadInput(message % {"known": known}, field="over", code="over")
    return TEXT_SETS[key], argument


def list_choices(project: Project, role: str) -> list[tuple[str, str]]:
    """(over, words for people) of everything in a project that a system of the role can work on."""
    choices = []
    for text_set in TEXT_SETS:
        if role in text_set.roles:
            for argument, words in text_set.list_arguments(project):
                over = f"{text_set.key}:{argument}" if argument else text_set.key
                choices.append((over, f"{text_set.title}: {words}" if words else str(text_set.title)))
    return choices


def load_materials(run: Run, samples: Collection[int]) -> Mapping[int, list[Material]]:
    """The texts of some samples of a run that is over a set."""
    text_set, argument = find_text_set(run.over, run.revision.role)
    return text_set.load(run.project, argument, samples)


class References:
    """The human summary of each sample, the preferred one where there are several."""

    key = "references"
    title: Any = gettext_lazy("Human summaries")
    roles: frozenset[Role] = frozenset({"score", "transform", "judge"})

    def list_arguments(self, project: Project) -> list[tuple[str, str]]:
        return [("", "")]

    def check(self, project: Project, argument: str) -> None:
        if argument:
            raise BadInput(_("references takes no name."), field="over", code="over")

    def list_samples(self, project: Project, argument: str) -> Collection[int]:
        return references_of(project).keys()

    def load(self, project: Project, argument: str, samples: Collection[int]) -> dict[int, list[Material]]:
        references = references_of(project, samples)
        return {sample: [Material(ALONE, text, origin=f"annotation:{pk}")] for sample, (pk, text) in references.items()}


class OutputsOfRun:
    """The outputs of another run."""

    key = "run"
    title: Any = gettext_lazy("Outputs")
    roles: frozenset[Role] = frozenset({"score", "transform", "judge"})

    def list_arguments(self, project: Project) -> list[tuple[str, str]]:
        rows = Run.objects.texts().done().filter(project=project).select_related("revision__system").order_by("-pk")
        return [(str(run.public_id), label_run(run, run.over)) for run in rows[:100]]

    def check(self, project: Project, argument: str) -> None:
        if not self._rows(project, argument).exists():
            raise BadInput(
                _("No run with outputs has the id %(id)s.") % {"id": argument[:60]}, field="over", code="over"
            )

    def list_samples(self, project: Project, argument: str) -> Collection[int]:
        return set(self._rows(project, argument).exclude(text="").values_list("sample_id", flat=True))

    def load(self, project: Project, argument: str, samples: Collection[int]) -> dict[int, list[Material]]:
        rows = self._rows(project, argument).filter(sample__in=samples).exclude(text="")
        return {
            sample: [Material(ALONE, text, origin=f"output:{pk}")]
            for sample, pk, text in rows.values_list("sample_id", "pk", "text")
        }

    def _rows(self, project: Project, argument: str) -> "QuerySet[SystemOutput]":
        try:
            public_id = uuid.UUID(argument)
        except ValueError:
            return SystemOutput.objects.none()
        return SystemOutput.objects.filter(
            TEXTS, run__project=project, run__public_id=public_id, state=OutputState.DONE
        )


TEXT_SETS.register(References())
TEXT_SETS.register(OutputsOfRun())
