from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        # Services register their sweepers and job handlers when imported.
        from importlib import import_module

        for module in ("judging", "rating", "reporting", "withdrawing"):
            import_module(f"evaluation.services.{module}")
