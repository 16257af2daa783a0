"""What samples are about beside their source and the values of a schema, for kinds of task that have such a thing.

Rows of it are registered by the feature that owns them; tasks, exports, restores, pilots and undone draws ask here, so
that none of them knows a kind by name.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from annotation.extension_points import ExtensionPoint
from annotation.models import Project, Sample


class SampleSubject(Protocol):
    """The rows beside the samples of one kind of task."""

    kind: str
    """Key of the kind."""
    fields: tuple[str, ...]
    """What an exported line holds of it."""

    def describe(self, sample_id: int) -> dict[str, Any] | None:
        """What the page and the API show of a sample; None if it has no such row."""
        ...

    def read_fields(self, samples: Collection[int]) -> dict[int, dict[str, Any]]:
        """Sample -> the fields of its exported lines. One query."""
        ...

    def place(self, line: dict[str, Any], source: Mapping[str, Any]) -> None:
        """Add to a line what depends on its source; source["segments"] is None if its text may not be released."""
        ...

    def check_line(self, line: Mapping[str, Any]) -> None:
        """Check the fields of a line to restore. Raises FieldFault."""
        ...

    def store(self, project: Project, rows: Sequence[tuple[Sample, Mapping[str, Any]]]) -> None:
        """Store the rows of new samples from checked lines, inside a transaction."""
        ...

    def copy(self, sample: Sample, copied: Sample) -> None:
        """Give a copied sample what the original has, inside a transaction."""
        ...

    def delete(self, samples: Collection[int]) -> None:
        """Delete the rows of samples that are about to be deleted, inside a transaction."""
        ...


SAMPLE_SUBJECTS: ExtensionPoint[SampleSubject] = ExtensionPoint("subjects of samples", key=lambda subject: subject.kind)


def find_subject(kind: str) -> SampleSubject | None:
    """What the samples of a kind of task are about; None where it is only source and values."""
    return next((subject for subject in SAMPLE_SUBJECTS if subject.kind == kind), None)
