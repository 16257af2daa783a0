"""Requests that differ from the sample's own in one attribute: what runs over `changed:ATTRIBUTE` ask for.

Source: Zhang et al., MACSum, TACL 2023, Figure 6; CCSBench, arXiv 2410.12601, section 6.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db.models import Q

from epitome.systems.protocol import Request, RequestValue
from modelbridge.models import Run, SystemOutput
from modelbridge.models.runs import CHANGED

TEXTS = Q(run__over="") | Q(run__over__startswith=CHANGED)
"""Outputs that are texts for a request: the sample's own, or one with a changed attribute."""


def changed_attribute(run: Run) -> str:
    """The key of the attribute that a run changes; "" for other runs."""
    return run.over.removeprefix(CHANGED) if run.over.startswith(CHANGED) else ""


def changed_values(run: Run) -> Mapping[int, RequestValue]:
    """sample -> the new value, frozen when the run started."""
    values = run.options.get("values", {})
    return {int(sample): tuple(value) if isinstance(value, list) else value for sample, value in values.items()}


def requested_values(output: SystemOutput) -> dict[str, Any]:
    """What an output was asked for; its run, sample and group must be loaded."""
    values: dict[str, Any] = dict(output.sample.attributes)
    if attribute := changed_attribute(output.run):
        values[attribute] = output.run.options["values"].get(str(output.sample_id), values.get(attribute))
    return values


def change_request(request: Request, run: Run, sample: int) -> Request:
    """The request of a sample as the run asks for it; unchanged for other runs. Raises KeyError for a sample that is
    not in the run."""
    attribute = changed_attribute(run)
    if not attribute:
        return request
    return replace(request, values={**request.values, attribute: changed_values(run)[sample]})
