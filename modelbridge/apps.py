from django.apps import AppConfig


class ModelbridgeConfig(AppConfig):
    name = "modelbridge"
