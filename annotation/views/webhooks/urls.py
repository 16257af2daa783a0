"""URLs of the pages of webhooks."""

from django.urls import URLPattern, path

from annotation.views.webhooks import webhooks

project_urls: list[URLPattern] = [
    path("settings/webhooks/", webhooks.list_webhooks, name="webhooks"),
    path("settings/webhooks/<uuid:public_id>/", webhooks.show_webhook, name="webhook"),
]
