from django.apps import AppConfig


class ModelbridgeConfig(AppConfig):
    name = "modelbridge"

    def ready(self) -> None:
        # Only the extensions of the project's own apps: libraries have modules of this name too, and theirs are large.
        from modelbridge import extensions  # noqa: F401
