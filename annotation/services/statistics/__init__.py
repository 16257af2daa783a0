"""Statistics of a dataset: worked out by a job, shown by the page. Nothing here is heavy to import."""

from annotation.services.statistics.filters import ALL, ORIGINS, STATES, Filter
from annotation.services.statistics.storing import (
    KIND,
    SMALL,
    StoredStatistics,
    data_version,
    is_measured_now,
    job_under_way,
    load_statistics,
    run_statistics,
    start_statistics,
    stored_splits,
    was_tried,
)

__all__ = [
    "ALL",
    "KIND",
    "ORIGINS",
    "SMALL",
    "STATES",
    "Filter",
    "StoredStatistics",
    "data_version",
    "is_measured_now",
    "job_under_way",
    "load_statistics",
    "run_statistics",
    "start_statistics",
    "stored_splits",
    "was_tried",
]
