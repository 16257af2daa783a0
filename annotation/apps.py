from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        # Only the extensions of the project's own apps: libraries have modules of this name too, and theirs are large.
        from django.utils.translation import get_language

        from annotation import extensions  # noqa: F401
        from epitome.figures import numbers
        from epitome.site import celery  # noqa: F401 - the application that jobs are published with

        numbers.follow_language(lambda: get_language() or "")
