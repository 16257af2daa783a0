"""Settings, URLs and the Celery application of Epitome; no logic lives here."""

from epitome.celery import app as celery_app

__all__ = ["celery_app"]
