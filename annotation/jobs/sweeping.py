"""What is looked after about once a minute by whichever worker comes first."""

import logging

from annotation.jobs.registry import SWEEPERS

log = logging.getLogger(__name__)


def run_sweepers() -> int:
    """Call every registered sweeper; one that breaks does not keep the others from running. Returns how many broke."""
    broken = 0
    for function in SWEEPERS:
        try:
            function()
        except Exception:  # logged, and the next sweep tries again
            log.exception("sweeper %s broke", function.__qualname__)
            broken += 1
    return broken
