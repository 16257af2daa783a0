"""Sites of reports that can be published beside the data; the rooms that have reports register them."""

from collections.abc import Callable
from typing import NamedTuple

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import Project


class ReportSite(NamedTuple):
    """A round whose report can be downloaded as a site. obstacle: why not yet, in words; "" if it can."""

    name: str
    url: str
    obstacle: str


REPORT_SITES = ExtensionPoint[Callable[[Project], list[ReportSite]]]("sites of reports", key=qualified_name)


def list_report_sites(project: Project) -> list[ReportSite]:
    return [site for list_sites in REPORT_SITES for site in list_sites(project)]
