from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        # Services register their sweepers, job handlers and what Home counts when imported.
        from importlib import import_module

        for module in ("entering", "judging", "rating", "reporting", "withdrawing"):
            import_module(f"evaluation.services.{module}")
