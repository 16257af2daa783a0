from django.apps import AppConfig


class ModelbridgeConfig(AppConfig):
    name = "modelbridge"

    def ready(self) -> None:
        # Services register their job handlers and sweepers when imported.
        from importlib import import_module
        from importlib.util import find_spec

        for module in ("running", "scoring", "training"):
            if find_spec(f"modelbridge.services.{module}"):
                import_module(f"modelbridge.services.{module}")
