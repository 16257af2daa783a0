"""Source documents: list, read, flag as damaged."""

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.common import PAGE, checked, documented, flag_parameter, ordering, page_of, text_parameter
from annotation.api.serializers import DamageIn, DocumentDetailOut, DocumentOut
from annotation.models import SourceDocument
from annotation.services import access, damage

ORDERS = ("id", "external_id", "n_words", "created_at")
FILTERS = [
    OpenApiParameter("q", OpenApiTypes.STR, description="begins the external id or stands in the title"),
    OpenApiParameter("split", OpenApiTypes.STR),
    OpenApiParameter("damaged", OpenApiTypes.BOOL),
    OpenApiParameter("order", OpenApiTypes.STR, enum=[*ORDERS, *(f"-{o}" for o in ORDERS)]),
]


class Documents(APIView):
    """The sources of a project."""

    @documented(
        answers={200: DocumentOut(many=True)}, parameters=[*PAGE, *FILTERS], tags=["sources"], summary="List sources"
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.STAFF)
        rows: QuerySet[SourceDocument] = SourceDocument.objects.filter(project=project)
        if words := text_parameter(request, "q"):
            rows = rows.filter(Q(external_id__startswith=words) | Q(title__icontains=words))
        if split := text_parameter(request, "split", longest=20):
            rows = rows.filter(split=split)
        damaged = flag_parameter(request, "damaged")
        if damaged is not None:
            rows = rows.filter(damaged=damaged)
        return page_of(request, rows.order_by(ordering(request, ORDERS, "id"), "id"), DocumentOut)


class OneDocument(APIView):
    """One source."""

    @documented(answers={200: DocumentDetailOut}, tags=["sources"], summary="Read a source with its text")
    def get(self, request: Request, public_id: str) -> Response:
        rows = SourceDocument.objects.select_related("source_text")
        document = access.row_for(request.user, rows, public_id, access.STAFF)
        return Response(DocumentDetailOut(document).data)


class DocumentFlag(APIView):
    """Whether a source is damaged."""

    @documented(
        request=DamageIn, answers={200: DocumentOut}, tags=["sources"], summary="Flag a source as damaged or not"
    )
    def post(self, request: Request, public_id: str) -> Response:
        document = access.row_for(request.user, SourceDocument.objects.all(), public_id, access.STAFF)
        assert isinstance(request.user, User)
        values = checked(DamageIn, request.data)
        if values["damaged"]:
            damage.flag_damaged(document=document, reason=values["reason"], by=request.user)
        else:
            damage.unflag_damaged(document=document, by=request.user)
        document.refresh_from_db()
        return Response(DocumentOut(document).data)
