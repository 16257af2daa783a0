"""The WSGI entry point."""

import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from epitome.site.repeating import repeat_after_lost_connection

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "epitome.site.settings")
application = repeat_after_lost_connection(get_wsgi_application())
# Import all views (about 700 modules) before the fork: workers share them, and no request waits for the import.
import_module(settings.ROOT_URLCONF)
