"""Statistics of a dataset: computed by a job, shown by the page. Importing this package is cheap."""

from annotation.services.statistics.filters import ALL, ORIGINS, STATES, Filter
from annotation.services.statistics.stored import (
    KIND,
    SMALL,
    StoredStatistics,
    data_version,
    find_measuring,
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
    "find_measuring",
    "is_measured_now",
    "job_under_way",
    "load_statistics",
    "run_statistics",
    "start_statistics",
    "stored_splits",
    "was_tried",
]
