"""Periodic maintenance, run about once a minute by whichever worker comes first."""

import logging

from annotation.jobs.registry import SWEEPERS

log = logging.getLogger(__name__)


def run_sweepers() -> int:
    """Call every registered sweeper; a failing one does not stop the others. Returns the number of failures."""
    broken = 0
    for function in SWEEPERS:
        try:
            function()
        except Exception:  # logged, and the next sweep tries again
            log.exception("sweeper %s broke", function.__qualname__)
            broken += 1
    return broken
