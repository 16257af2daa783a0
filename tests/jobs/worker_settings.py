from epitome.settings import *  # noqa: F403
from epitome.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.jobs.workerapp"]
