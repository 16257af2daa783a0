"""The Celery application. A message is only a hint: the Job row is the job (see annotation.jobs)."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "epitome.site.settings")

app = Celery("epitome")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
