"""URLs of the calls of webhooks."""

from django.urls import URLPattern, path

from annotation.api.webhooks import webhooks

ONE = "webhooks/<uuid:public_id>/"

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/webhooks/", webhooks.Webhooks.as_view(), name="api-webhooks"),
    path(ONE, webhooks.OneWebhook.as_view(), name="api-webhook"),
    path(f"{ONE}secret/", webhooks.WebhookSecret.as_view(), name="api-webhook-secret"),
    path(f"{ONE}test/", webhooks.WebhookTest.as_view(), name="api-webhook-test"),
    path(f"{ONE}deliveries/", webhooks.WebhookDeliveries.as_view(), name="api-webhook-deliveries"),
]
