"""Prometheus metrics: requests and connections of all web processes, and figures from the database.

Imported only where metrics are switched on, after metrics_folder.prepare_folder().
"""

import os
from collections.abc import Iterator
from pathlib import Path

from django.db import DatabaseError, InterfaceError, connection
from django.http import HttpResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from annotation.services.operations.figures import Figures, count_figures
from annotation.views.operations.metrics_folder import FOLDER_VARIABLE

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
POOL_STATES = {"size": "pool_size", "available": "pool_available", "waiting": "requests_waiting"}

REQUESTS = Counter("epitome_requests", "Requests answered.", ["method", "status"], registry=None)
SECONDS = Histogram(
    "epitome_request_seconds", "Seconds until a request was answered.", ["method"], buckets=BUCKETS, registry=None
)
POOL = Gauge(
    "epitome_database_pool",
    "Pooled database connections of all web processes, and requests that wait for one.",
    ["state"],
    multiprocess_mode="livesum",
    registry=None,
)


def count_request(method: str, status: int, seconds: float) -> None:
    """Count an answered request, and note the state of this process's connection pool."""
    known_method = method if method in METHODS else "other"
    REQUESTS.labels(known_method, f"{status // 100}xx").inc()
    SECONDS.labels(known_method).observe(seconds)
    pool = getattr(connection, "pool", None)
    if pool is not None:
        stats = pool.get_stats()
        for state, key in POOL_STATES.items():
            POOL.labels(state).set(stats.get(key, 0))


class FiguresCollector(Collector):
    """What the database says; `epitome_database_up 0` alone where it does not answer."""

    def collect(self) -> Iterator[Metric]:
        try:
            figures = count_figures()
        except (DatabaseError, InterfaceError):
            connection.close()
            yield GaugeMetricFamily("epitome_database_up", "Whether the database answers.", value=0)
            return
        yield GaugeMetricFamily("epitome_database_up", "Whether the database answers.", value=1)
        yield from describe_figures(figures)


def describe_figures(figures: Figures) -> Iterator[Metric]:
    jobs = GaugeMetricFamily("epitome_jobs", "Jobs by state and queue.", labels=["state", "queue"])
    for (state, queue), n in figures.jobs.items():
        jobs.add_metric([state, queue], n)
    yield jobs
    oldest = GaugeMetricFamily("epitome_oldest_waiting_job_seconds", "Age of the oldest waiting job.", labels=["queue"])
    for queue, seconds in figures.oldest_waiting.items():
        oldest.add_metric([queue], seconds)
    yield oldest
    leases = GaugeMetricFamily("epitome_leases", "Leases of tasks and jobs, live or expired.", labels=["of", "state"])
    for (name, state), n in figures.leases.items():
        leases.add_metric([name, state], n)
    yield leases
    workers = GaugeMetricFamily("epitome_workers", "Running workers by queue.", labels=["queue"])
    for queue, n in figures.workers.items():
        workers.add_metric([queue], n)
    yield workers


def render_metrics() -> HttpResponse:
    """Everything in Prometheus' text format."""
    folder = Path(os.environ[FOLDER_VARIABLE])
    drop_ended_processes(folder)
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(folder))
    registry.register(FiguresCollector())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def drop_ended_processes(folder: Path) -> None:
    """Forget the gauges of processes that have ended; their counters stay."""
    for file in folder.glob("gauge_live*_*.db"):
        process_id = int(file.stem.rpartition("_")[2])
        try:
            os.kill(process_id, 0)
        except ProcessLookupError:
            mark_process_dead(process_id, path=str(folder))
        except PermissionError:
            continue
