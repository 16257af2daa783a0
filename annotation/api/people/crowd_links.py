"""Crowd links and their workers."""

import uuid

from django.db.models import Count
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.api.people.serializers import (
    ConsentIn,
    ConsentOut,
    CrowdLinkIn,
    CrowdLinkMade,
    CrowdLinkOut,
    CrowdWorkerOut,
)
from annotation.models import ConsentVersion, CrowdLink, CrowdWorker
from annotation.services.core import access
from annotation.services.people import consent, crowd_links, invitations

TAG = "members"


class CrowdLinks(APIView):
    """Links for workers of crowd platforms."""

    @document_call(
        "crowd_links_list",
        "List crowd links",
        answers={200: page_serializer(CrowdLinkOut)},
        parameters=PAGE_PARAMETERS,
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        return page_response(request, CrowdLink.objects.filter(project=project).order_by("-pk"), CrowdLinkOut)

    @document_call("crowd_links_make", "Make a crowd link", request=CrowdLinkIn, answers={201: CrowdLinkMade}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        row, plain_token = crowd_links.make_link(
            project=project,
            by=current_user(request),
            link_settings=crowd_links.LinkSettings(**validate_body(CrowdLinkIn, request.data)),
        )
        url = request.build_absolute_uri(reverse("take-part", args=[plain_token]))
        key = crowd_links.signing_key(row) if row.signed else ""
        return Response({**CrowdLinkOut(row).data, "url": url, "signing_key": key}, status=201)


class CrowdLinkClose(APIView):
    """Closing a crowd link."""

    @document_call("crowd_links_close", "Close a crowd link", request=None, answers={204: None}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Nobody new gets in by it; who has begun can finish."""
        invitations.revoke_link(
            link=access.row_for(request.user, CrowdLink.objects.all(), public_id, access.ADMINS),
            by=current_user(request),
        )
        return Response(status=204)


class Consent(APIView):
    """The consent page of people who come by a crowd link."""

    @document_call(
        "consent_list",
        "List versions of the consent page",
        answers={200: page_serializer(ConsentOut)},
        parameters=PAGE_PARAMETERS,
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        rows = ConsentVersion.objects.filter(project=project).annotate(agreed=Count("agreements"))
        return page_response(request, rows.order_by("-number"), ConsentOut)

    @document_call("consent_publish", "Publish a consent page", request=ConsentIn, answers={201: ConsentOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """Everybody who joined by a crowd link is asked to agree before the next task."""
        project = access.project_for(request.user, slug, access.ADMINS)
        data = validate_body(ConsentIn, request.data)
        version = consent.publish_version(project=project, by=current_user(request), **data)
        return Response(ConsentOut(version).data, status=201)


class CrowdWorkers(APIView):
    """Who joined by a crowd link."""

    @document_call(
        "crowd_workers_list",
        "List crowd workers",
        answers={200: page_serializer(CrowdWorkerOut)},
        parameters=PAGE_PARAMETERS,
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        rows = CrowdWorker.objects.filter(project=project).select_related("user", "link").order_by("-pk")
        return page_response(request, rows, CrowdWorkerOut)
