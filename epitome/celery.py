"""The Celery application. A message is only a hint: the Job row is the job (see annotation.jobs)."""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

# Named, not imported: the web process needs no broker library to start.
TRANSPORT_ALIASES.update(
    filesystem="epitome.transports:FilesTransport",
    redis="epitome.transports:RedisTransport",
    rediss="epitome.transports:RedisTransport",
)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "epitome.settings")

app = Celery("epitome")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
