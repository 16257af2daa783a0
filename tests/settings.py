"""The site's settings with what makes tests quick: a `flush` of its own, and static files that are looked up once."""

from epitome.site.settings import *  # noqa: F403
from epitome.site.settings import INSTALLED_APPS, MIDDLEWARE
from epitome.site.webhook_hosts import read_hosts

INSTALLED_APPS = [*INSTALLED_APPS, "tests.quick_flush"]
MIDDLEWARE = [name.replace("whitenoise.middleware.WhiteNoise", "tests.static_files.Cached") for name in MIDDLEWARE]
EPITOME_SETUP_PAGE = False  # most tests of pages begin without accounts; tests/pages/test_setup.py switches it on
EPITOME_CALL_PROCESSES = False  # another process would not see the tests' database
EPITOME_WEBHOOK_HOSTS = read_hosts(["hooks.example.org"])  # no test sends anything there
