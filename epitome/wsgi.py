"""The WSGI entry point."""

import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "epitome.settings")
application = get_wsgi_application()
# All pages and calls, seven hundred modules: once, shared by the processes that fork, and not in somebody's request.
import_module(settings.ROOT_URLCONF)
