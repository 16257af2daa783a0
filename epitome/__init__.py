"""Settings, URLs and the Celery application of Epitome; no logic lives here."""
