"""Webhooks: created, changed, paused, tested and deleted by admins, and the log of their deliveries."""

import uuid

from drf_spectacular.utils import OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import refuse_unknown_parameters
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.api.webhooks.serializers import (
    SecretMade,
    WebhookChangesIn,
    WebhookDeliveryOut,
    WebhookIn,
    WebhookMade,
    WebhookOut,
)
from annotation.models import Webhook, WebhookTopic
from annotation.services.core import access
from annotation.services.webhooks import deliveries, webhooks

TAG = "webhooks"
OFF = OpenApiResponse(description="Webhooks are off on this site, or the project has as many as it may.")


def _webhook_for(request: Request, public_id: uuid.UUID) -> Webhook:
    return access.row_for(request.user, Webhook.objects.all(), public_id, access.ADMINS)


class Webhooks(APIView):
    """The webhooks of a project."""

    @document_call(
        "webhooks_list",
        "List webhooks",
        answers={200: page_serializer(WebhookOut)},
        parameters=PAGE_PARAMETERS,
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        return page_response(request, Webhook.objects.filter(project=project).order_by("-pk"), WebhookOut)

    @document_call(
        "webhooks_create", "Create a webhook", request=WebhookIn, answers={201: WebhookMade, 409: OFF}, tag=TAG
    )
    def post(self, request: Request, slug: str) -> Response:
        """The secret that signs its deliveries is shown once."""
        project = access.project_for(request.user, slug, access.ADMINS)
        values = {"events": list(WebhookTopic.EVENTS), **validate_body(WebhookIn, request.data)}
        webhook, secret = webhooks.create_webhook(project=project, by=current_user(request), **values)
        return Response({**WebhookOut(webhook).data, "secret": secret}, status=201)


class OneWebhook(APIView):
    """One webhook."""

    @document_call("webhook_read", "Read a webhook", answers={200: WebhookOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        refuse_unknown_parameters(request, ())
        return Response(WebhookOut(_webhook_for(request, public_id)).data)

    @document_call(
        "webhook_change", "Change or pause a webhook", request=WebhookChangesIn, answers={200: WebhookOut}, tag=TAG
    )
    def patch(self, request: Request, public_id: uuid.UUID) -> Response:
        """A paused webhook misses what happens meanwhile; what waited before is sent when it is resumed."""
        webhook = _webhook_for(request, public_id)
        values = validate_body(WebhookChangesIn, request.data)
        changed = webhooks.change_webhook(webhook=webhook, by=current_user(request), **values)
        return Response(WebhookOut(changed).data)

    @document_call("webhook_delete", "Delete a webhook", answers={204: None}, tag=TAG)
    def delete(self, request: Request, public_id: uuid.UUID) -> Response:
        """With its log and what waits to be sent."""
        webhooks.delete_webhook(webhook=_webhook_for(request, public_id), by=current_user(request))
        return Response(status=204)


class WebhookSecret(APIView):
    """The secret."""

    @document_call("webhook_secret", "Replace the secret of a webhook", answers={201: SecretMade}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """The new one is shown once and signs every delivery from now on, also those that wait."""
        secret = webhooks.rotate_secret(webhook=_webhook_for(request, public_id), by=current_user(request))
        return Response({"secret": secret}, status=201)


class WebhookTest(APIView):
    """A test delivery."""

    @document_call("webhook_test", "Send a test", answers={202: WebhookDeliveryOut, 409: OFF}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Tried once; the result is in the log."""
        delivery = deliveries.send_test(webhook=_webhook_for(request, public_id), by=current_user(request))
        return Response(WebhookDeliveryOut(delivery).data, status=202)


class WebhookDeliveries(APIView):
    """The log."""

    @document_call(
        "webhook_deliveries_list",
        "List the deliveries of a webhook",
        answers={200: page_serializer(WebhookDeliveryOut)},
        parameters=PAGE_PARAMETERS,
        tag=TAG,
    )
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        """The last hundred, and all that wait."""
        rows = _webhook_for(request, public_id).deliveries.order_by("-pk")
        return page_response(request, rows, WebhookDeliveryOut)
