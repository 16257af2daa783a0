"""Systems: listed, registered, read with every revision."""

import uuid

from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.services.core import access
from annotation.services.core.errors import BadInput
from modelbridge.api.systems.serializers import RegisteredOut, SystemDetailOut, SystemIn, SystemOut
from modelbridge.models import System
from modelbridge.services.systems import systems


class Systems(APIView):
    """The systems of a project."""

    @document_call(
        "systems_list",
        "List systems",
        answers={200: page_serializer(SystemOut)},
        parameters=PAGE_PARAMETERS,
        tag="systems and runs",
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        return page_response(request, systems.systems_of(project), SystemOut)

    @document_call(
        "systems_register",
        "Register or revise a system",
        request=SystemIn,
        answers={201: RegisteredOut},
        tag="systems and runs",
    )
    def post(self, request: Request, slug: str) -> Response:
        """From TOML; a known key with another text makes the next revision, the same text gives the one there is."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(SystemIn, request.data)
        if len(values) != 1:
            raise BadInput(_("Provide either toml or shipped."), field="toml", code="one")
        if "shipped" in values:
            revision = systems.register_shipped(project=project, key=values["shipped"], by=current_user(request))
        else:
            revision = systems.register_system(project=project, toml_text=values["toml"], by=current_user(request))
        return Response(RegisteredOut(revision).data, status=201)


class OneSystem(APIView):
    """One system."""

    @document_call("systems_read", "Read a system", answers={200: SystemDetailOut}, tag="systems and runs")
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        rows = System.objects.prefetch_related("revisions")
        return Response(SystemDetailOut(access.row_for(request.user, rows, public_id, access.MAKERS)).data)
