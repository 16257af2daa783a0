"""Export options and the plan resolved from them: rows, splits and release."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from annotation.models import Project, Release
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.word_patterns import join_names
from annotation.services.exports import export_writers, releases
from annotation.services.exports.dataset_reader import Choice
from annotation.services.exports.export_selection import CurrentRows
from annotation.services.overlap import marks as overlap_marks
from annotation.services.sources import splits as source_splits
from epitome.schema import check_shares

FORMATS = {"jsonl": "application/jsonl", "macsum": "application/json", "parquet": "application/vnd.apache.parquet"}
STATES = ("latest", "accepted")
SPLITS = ("keep", "origin")
OVERLAPS = ("all", "marked")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What to export. None: the default (latest, keep, all), or the value the release was frozen with.

    state: `latest` exports the newest revision of every attempt with its state, `accepted` only accepted and
    imported ones. overlap: `all` summaries of a sample, or only the `marked` one if reviewers compared them.
    split: `keep` the imported splits or draw by `origin`; a split_seed or shares imply origin. shares: percent of the
    sources in train, dev and test; None: those of the schema. release: the tag of a
    frozen list of rows; `export_to` and jobs freeze a new tag. authorship: include the authorship shares in the
    lines, for writers who consented to the record.
    """

    format: str = "jsonl"
    state: str | None = None
    split: str | None = None
    split_seed: int | None = None
    shares: tuple[int, int, int] | None = None
    release: str | None = None
    overlap: str | None = None
    authorship: bool = False

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "ExportOptions":
        """Checked options from JSON. Raises BadInput naming the option."""
        known = {item.name for item in fields(cls)}
        for name in values:
            if name not in known:
                raise BadInput(_("There is no export option %(name)s.") % {"name": name[:60]}, field=name[:60])
        if isinstance(values.get("shares"), list):  # as JSON gives it
            values = {**values, "shares": tuple(values["shares"])}
        options = cls(**values)
        options.check()
        return options

    def check(self) -> None:
        """Raises BadInput naming the option."""
        for name, words, needed in (
            ("format", tuple(FORMATS), True),
            ("state", STATES, False),
            ("split", SPLITS, False),
            ("overlap", OVERLAPS, False),
        ):
            value = getattr(self, name)
            if value not in words and (needed or value is not None):
                raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(words)}, field=name)
        seed = self.split_seed
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or not -(2**63) <= seed < 2**63):
            raise BadInput(_("The seed must be a whole number of at most 63 bits."), field="split_seed")
        for name in ("split_seed", "shares"):
            if getattr(self, name) is not None and self.split == "keep":
                raise BadInput(_("This draws new splits; it does not go with keeping the old ones."), field=name)
        if self.shares is not None and check_shares(self.shares):
            message = _("The shares of train, dev and test are three whole percents that sum to 100; train is above 0.")
            raise BadInput(message, field="shares")
        if not isinstance(self.authorship, bool):
            raise BadInput(_("This value has the wrong type."), field="authorship")
        if self.release is not None:
            if not isinstance(self.release, str):
                raise BadInput(_("This value has the wrong type."), field="release")
            releases.checked_tag(self.release)


@dataclass(slots=True)
class Plan:
    """The plan of one export: resolved options, rows, splits and release."""

    options: ExportOptions
    choice: Choice
    splits: source_splits.Splits
    head: dict[str, Any]
    release: Release | None = None


def plan_export(
    project: Project, options: ExportOptions, *, freeze: bool = False, by: AbstractBaseUser | None = None
) -> Plan:
    """Resolve the options. freeze: an unknown tag is frozen as a new release, else it raises NotFound."""
    options.check()
    release = releases.find_release(project=project, tag=options.release) if options.release else None
    if options.release and release is None:
        if not freeze:
            raise NotFound(_("There is no release %(tag)s.") % {"tag": options.release}, field="release")
        filled = _fill_defaults(project, options)
        splits = _choose_splits(project, filled)
        release = releases.freeze_release(
            project=project,
            tag=options.release,
            state=filled.state or "latest",
            overlap=filled.overlap or "all",
            splits=splits,
            split_seed=filled.split_seed,
            by=by,
        )
    if release is not None:
        return _plan_release(project, options, release)
    options = _fill_defaults(project, options)
    splits = _choose_splits(project, options)
    not_marked = overlap_marks.unmarked_annotations(project) if options.overlap == "marked" else frozenset()
    choice = CurrentRows(options.state or "latest", splits, not_marked=not_marked)
    return Plan(options, choice, splits, export_writers.project_line(project))


def _fill_defaults(project: Project, options: ExportOptions) -> ExportOptions:
    by_origin = options.split == "origin" or options.split_seed is not None or options.shares is not None
    return replace(
        options,
        state=options.state or "latest",
        overlap=options.overlap or "all",
        split="origin" if by_origin else "keep",
        split_seed=(options.split_seed or 0) if by_origin else None,
        shares=(options.shares or project.schema_version.schema.shares) if by_origin else None,
    )


def _choose_splits(project: Project, options: ExportOptions) -> source_splits.Splits:
    if options.split_seed is None or options.shares is None:
        return source_splits.ImportedSplits()
    return source_splits.draw_project_splits(project=project, seed=options.split_seed, shares=options.shares)


def _plan_release(project: Project, options: ExportOptions, release: Release) -> Plan:
    choice = releases.FrozenSelection(release)
    drawn = choice.splits if isinstance(choice.splits, source_splits.ByOrigin) else None
    filters = release.filters
    frozen = replace(
        options,
        state=filters["state"],
        overlap=filters.get("overlap", "all"),
        split="origin" if drawn is not None else "keep",
        split_seed=release.split_seed,
        shares=drawn.shares if drawn is not None else None,
    )
    for name in ("state", "overlap", "split", "split_seed", "shares"):
        requested, frozen_value = getattr(options, name), getattr(frozen, name)
        if requested is not None and requested != frozen_value:
            message = _("The release %(tag)s was frozen with %(name)s %(has)s, not %(wanted)s; use another tag.")
            values = {"tag": release.tag, "name": name, "has": frozen_value, "wanted": requested}
            raise Conflict(message % values, field=name)
    head = export_writers.project_line(project, schemas=choice.schemas, guidelines=choice.guidelines)
    return Plan(frozen, choice, choice.splits, head, release)
