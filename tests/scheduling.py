"""Which tests go to one worker together and which start first (with --dist loadscope), and which are slow."""

from pathlib import PurePosixPath

import pytest
from xdist.scheduler import LoadScopeScheduling

SPLIT = {
    *("test_fuzz.py", "test_matrix.py", "test_demo.py", "test_kills.py", "test_races.py", "test_worker_process.py"),
    "test_broker.py",
}
"""Few, long tests that share nothing: each goes where there is room."""
TOGETHER = "tests/models/"
"""All of it to one worker, so that only one loads torch and transformers, which takes it six seconds."""
LONG = SPLIT | {
    *("test_training_control.py", "test_training_resume.py", "test_runs_training.py", "test_main_job.py"),
    *(
        "test_runs.py",
        "test_polyglots.py",
        "test_commands.py",
        "test_truth.py",
        "test_published.py",
        "test_installed.py",
        "test_finished_example.py",
    ),
}

SLOW = LONG | {
    *("test_all_writes.py", "api/test_access.py", "security/test_swaps.py"),
    *("test_round_trip.py", "test_withdrawing.py", "test_fuzz.py", "test_web_worker.py", "test_last_admin.py"),
    *("pages/test_safety.py", "pages/test_access.py", "annotator/test_pages.py", "api/test_lists.py"),
    *("test_backup.py", "test_bad_bytes.py", "test_measure_command.py", "test_matrix.py"),
    *("measures/test_purity.py", "rounds/test_blindness.py", "measures_js/test_equal.py", "text/test_treebank.py"),
    *("metrics/test_measure_macsum.py", "metrics/test_rouge.py", "metrics/test_report_text.py"),
    *("extract/test_dev.py", "extract/test_edges.py", "export/test_splits.py", "export/test_macsum.py"),
    *("test_settings.py", "test_web_imports.py", "test_compose.py", "security/test_production.py"),
    *(
        "metrics/test_measure_lengths.py",
        "library/test_installed.py",
        "reports/test_csv_files.py",
        "api/test_openapi.py",
    ),
    *("agreement/test_intervals.py", "models/test_training_service.py"),
    *("reports/test_deciding.py", "measures/test_dev_tables.py"),
}
"""What `make test-fast` leaves out, beside browser, models and what is also tried on the second database."""


def is_slow(item: pytest.Item) -> bool:
    return item.path.as_posix().endswith(tuple(f"/{name}" for name in SLOW))


def order_key(item: pytest.Item) -> tuple[bool, bool]:
    """Sorts long files to the front and browser tests before the rest, so that no worker ends alone with one."""
    return item.path.name not in LONG, "browser" not in item.path.parts


class ByFile(LoadScopeScheduling):
    """A file's tests go to one worker, in their order: what a module makes once is made once, and not by each worker.

    The groups of --dist loadgroup would say the same, but xdist 3.8 does not see them under pytest 9.2. xdist's
    own LoadFileScheduling overrides `_split_scope` too; should it be renamed, tests are spread otherwise, none is lost.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        if file.startswith(TOGETHER):
            return TOGETHER
        return nodeid if PurePosixPath(file).name in SPLIT else file
