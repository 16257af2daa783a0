"""Statistics of a dataset: worked out by a job, shown by the page. Nothing here is heavy to import."""

from annotation.services.statistics.filters import ALL, ORIGINS, STATES, Filter
from annotation.services.statistics.storing import (
    KIND,
    SMALL,
    Stored,
    data_version,
    is_measured_now,
    run_statistics,
    start,
    stored,
    stored_splits,
    tried,
    under_way,
)

__all__ = [
    "ALL",
    "KIND",
    "ORIGINS",
    "SMALL",
    "STATES",
    "Filter",
    "Stored",
    "data_version",
    "is_measured_now",
    "run_statistics",
    "start",
    "stored",
    "stored_splits",
    "tried",
    "under_way",
]
