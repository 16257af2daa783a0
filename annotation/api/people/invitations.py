"""Invitation links."""

import uuid

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.api.people.serializers import InvitationIn, InvitationMade, InvitationOut
from annotation.models import Invitation
from annotation.services.core import access
from annotation.services.people import invitations

TAG = "members"


class Invitations(APIView):
    """Links that give roles."""

    @document_call(
        "invitations_list",
        "List invitations",
        answers={200: page_serializer(InvitationOut)},
        parameters=PAGE_PARAMETERS,
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        return page_response(request, Invitation.objects.filter(project=project).order_by("-pk"), InvitationOut)

    @document_call("invitations_make", "Make a link", request=InvitationIn, answers={201: InvitationMade}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        row, plain_token = invitations.create_invitation(
            project=project, by=current_user(request), **validate_body(InvitationIn, request.data)
        )
        url = request.build_absolute_uri(reverse("join", args=[plain_token]))
        return Response({**InvitationOut(row).data, "url": url}, status=201)


class InvitationRevoke(APIView):
    """Closing a link."""

    @document_call("invitations_revoke", "Close an invitation", request=None, answers={204: None}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Nobody gets in by it any more; who is in stays in."""
        invitations.revoke_link(
            link=access.row_for(request.user, Invitation.objects.all(), public_id, access.ADMINS),
            by=current_user(request),
        )
        return Response(status=204)
