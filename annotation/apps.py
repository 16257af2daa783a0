from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        # Services register their job handlers and sweepers when imported.
        from importlib import import_module
        from importlib.util import find_spec

        for module in (
            "importing",
            "extracting",
            "sampling",
            "exporting",
            "leases",
            "inspection_weeks",
            "scoring",
            "skips",
            "counts",
            "meters",
            "statistics",
        ):
            if find_spec(f"annotation.services.{module}"):
                import_module(f"annotation.services.{module}")
