from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        # Only the extensions of the project's own apps: libraries have modules of this name too, and theirs are large.
        from evaluation import extensions  # noqa: F401
