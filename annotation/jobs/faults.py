"""What a job's row says of an attempt that broke."""

import traceback

from django.utils.translation import gettext as _

from annotation.outages import DISK_FULL, find_outage

LONGEST = 2000


def describe_fault(error: Exception) -> str:
    """For the job's page: a sentence about an outage, then the error as Python names it."""
    lines = "".join(traceback.format_exception_only(error)).strip().replace("\x00", "\\0")
    trace = lines[:LONGEST].encode(errors="replace").decode()
    outage = find_outage(error)
    if outage is None:
        return trace
    if outage.code == DISK_FULL:
        sentence = _("The server is out of disk space. Tell the site's administrator.")
    else:
        sentence = _("The database did not respond. Work that was stored before is safe.")
    return f"{sentence} ({trace})"
