"""The usual settings for killed runs: tables straight from the models, and a fault where one is planted."""

import os

from epitome.site.settings import *  # noqa: F403

EPITOME_PLANT = os.environ.get("EPITOME_PLANT", "")
MIGRATION_MODULES = {name.rsplit(".", 1)[-1]: None for name in INSTALLED_APPS}  # noqa: F405
INSTALLED_APPS = [*INSTALLED_APPS, "benchmarks.planting.PlantingConfig"]  # noqa: F405
