"""The settings of the worker's tests, with tables straight from the models: no migration is tried here."""

from tests.jobs.worker_settings import *  # noqa: F403

MIGRATION_MODULES = {name.rsplit(".", 1)[-1]: None for name in INSTALLED_APPS}  # noqa: F405
