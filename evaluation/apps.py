from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        # Importing these services registers their sweepers, job handlers, counters of Home and withdrawal holders.
        from importlib import import_module

        for module in ("entering", "judging", "rating", "reporting", "withdrawing"):
            import_module(f"evaluation.services.{module}")
