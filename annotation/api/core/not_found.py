"""Answers unknown API paths with the same problem details as any other error."""

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.services.core.errors import NotFound


@extend_schema(exclude=True)
class NoSuchCall(APIView):
    """Every address under /api/ that is not a call."""

    authentication_classes = ()
    permission_classes = (AllowAny,)
    throttle_classes = ()

    def _refuse(self, request: Request, path: str = "") -> Response:
        slash = "" if request.path.endswith("/") else " " + _("URLs end with a slash.")
        raise NotFound(_("There is no such endpoint; /api/schema/ lists all of them.") + slash)

    get = post = put = patch = delete = options = _refuse
