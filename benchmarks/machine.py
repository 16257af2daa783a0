"""What a machine can do by itself, so that figures of two machines, or of two moments, compare."""

import os
import statistics
import tempfile
import time

WRITES, WRITE_BYTES = 100, 4096
LOOP_STEPS = 1_000_000
REFERENCE_LOOP_MS = 34.0
"""What the loop takes on the two cores for which the targets were set, when nothing else runs on them."""


def measure_fsync() -> float:
    """Median milliseconds of a write of 4 KB that reaches the disk, in the folder where SQLite's databases are made."""
    times = []
    with tempfile.TemporaryFile(buffering=0) as file:
        for _write in range(WRITES):
            started = time.perf_counter()
            file.write(b"x" * WRITE_BYTES)
            os.fsync(file.fileno())
            times.append(time.perf_counter() - started)
    return round(1000 * statistics.median(times), 3)


def measure_loop() -> float:
    """The quickest of five fixed loops of plain Python, in milliseconds."""
    return round(min(time_loop() for _round in range(5)), 1)


def time_loop() -> float:
    """Milliseconds of one fixed loop of plain Python, now."""
    started, total = time.perf_counter(), 0
    for number in range(LOOP_STEPS):
        total += number & 7
    return 1000 * (time.perf_counter() - started)
