"""The settings of the worker's tests, with tables straight from the models: no migration is tried here."""

from tests.jobs.worker_settings import *  # noqa: F403

MIGRATION_MODULES = dict.fromkeys(("annotation", "modelbridge", "evaluation"))
