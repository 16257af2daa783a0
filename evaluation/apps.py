from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        # Services register their sweepers when imported.
        from importlib import import_module

        import_module("evaluation.services.rating")
