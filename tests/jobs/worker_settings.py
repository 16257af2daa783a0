from epitome.site.settings import *  # noqa: F403
from epitome.site.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.jobs.workerapp"]
