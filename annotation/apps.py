from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        # Imports the `extensions` module of every installed app; see annotation.extension_points.
        from django.utils.module_loading import autodiscover_modules

        autodiscover_modules("extensions")
