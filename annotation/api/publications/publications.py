"""Publications: started, described, checked, decided about, written and uploaded."""

import uuid

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import choice_parameter, refuse_unknown_parameters
from annotation.api.core.requests import current_user, job_response, page_response, validate_body
from annotation.api.jobs.serializers import JobStarted
from annotation.api.publications.serializers import (
    HitDecisionsIn,
    HitDecisionsOut,
    PublicationChangesIn,
    PublicationHitOut,
    PublicationIn,
    PublicationLineOut,
    PublicationOut,
    UploadIn,
)
from annotation.models import HitDecision, HitKind, Publication, PublicationHit
from annotation.services.core import access
from annotation.services.publications import publication_jobs, publications

TAG = "publications"
OPEN = "open"
NOT_READY = OpenApiResponse(description="Something is not checked or not decided yet.")


def _publication_for(request: Request, public_id: uuid.UUID) -> Publication:
    rows = Publication.objects.select_related("release")
    return access.row_for(request.user, rows, public_id, access.MAKERS)


class Publications(APIView):
    """The publications of a project."""

    @document_call(
        "publications_list",
        "List publications",
        answers={200: page_serializer(PublicationLineOut)},
        parameters=PAGE_PARAMETERS,
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        rows = Publication.objects.filter(project=project).defer("checks").order_by("-id")
        return page_response(request, rows, PublicationLineOut)

    @document_call(
        "publications_start",
        "Start a publication",
        request=PublicationIn,
        answers={201: PublicationOut, 409: OpenApiResponse(description="The tag has one already.")},
        tag=TAG,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Of a release; nothing is read before it is checked."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(PublicationIn, request.data)
        publication = publications.start_publication(project=project, by=current_user(request), **values)
        return Response(PublicationOut(publication).data, status=201)


class OnePublication(APIView):
    """One publication."""

    @document_call("publication_read", "Read a publication", answers={200: PublicationOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        refuse_unknown_parameters(request, ())
        return Response(PublicationOut(_publication_for(request, public_id)).data)

    @document_call(
        "publication_change",
        "Describe a publication, or decide about it",
        request=PublicationChangesIn,
        answers={200: PublicationOut},
        tag=TAG,
    )
    def patch(self, request: Request, public_id: uuid.UUID) -> Response:
        """`unlicensed` and `leaks` say what is done about texts without a licence and about leaks between splits."""
        publication = _publication_for(request, public_id)
        values = validate_body(PublicationChangesIn, request.data)
        description = dict(values.pop("description", {}))
        publications.change_publication(
            publication=publication, description=description, choices=values, by=current_user(request)
        )
        return Response(PublicationOut(publication).data)


class PublicationCheck(APIView):
    """The check."""

    @document_call("publication_check", "Check a publication", answers={202: JobStarted}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Licences, personal data, duplicates and splits of all rows. Decisions about places found again stay."""
        publication = _publication_for(request, public_id)
        return job_response(request, publication_jobs.start_check(publication=publication, by=current_user(request)))


class PublicationHits(APIView):
    """Places that look like personal data."""

    @document_call(
        "publication_hits_list",
        "List places with personal data",
        answers={200: page_serializer(PublicationHitOut)},
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("kind", OpenApiTypes.STR, enum=HitKind.values),
            OpenApiParameter("decision", OpenApiTypes.STR, enum=(OPEN, *filter(None, HitDecision.values))),
        ],
        tag=TAG,
    )
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        """Where they are, in code points; the texts are those of the sources and summaries."""
        publication = _publication_for(request, public_id)
        rows = publication.hits.select_related("document").order_by("pk")
        if kind := choice_parameter(request, "kind", HitKind.values):
            rows = rows.filter(kind=kind)
        if decision := choice_parameter(request, "decision", (OPEN, *filter(None, HitDecision.values))):
            rows = rows.filter(decision="" if decision == OPEN else decision)
        return page_response(request, rows, PublicationHitOut, filters=("kind", "decision"))

    @document_call(
        "publication_hits_decide",
        "Decide about places with personal data",
        request=HitDecisionsIn,
        answers={200: HitDecisionsOut},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        publication = _publication_for(request, public_id)
        values = validate_body(HitDecisionsIn, request.data)
        if "kind" in values:
            hits: QuerySet[PublicationHit] = publication.hits.undecided().filter(kind=values["kind"])
        else:
            hits = publications.list_hits(publication, [str(hit) for hit in values["hits"]])
        changed = publications.decide_hits(
            publication=publication, hits=hits, decision=values["decision"], by=current_user(request)
        )
        return Response(HitDecisionsOut({"changed": changed}).data)


class PublicationWriting(APIView):
    """The archive."""

    @document_call("publication_write", "Write a publication", answers={202: JobStarted, 409: NOT_READY}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """The job's file is a zip archive of the folder."""
        publication = _publication_for(request, public_id)
        return job_response(request, publication_jobs.start_writing(publication=publication, by=current_user(request)))


class PublicationUpload(APIView):
    """The upload to the hub that the site's operator set up."""

    @document_call(
        "publication_upload",
        "Upload a publication to the hub",
        request=UploadIn,
        answers={202: JobStarted, 409: NOT_READY},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """409 (code nohub) where the site has no token for a hub."""
        publication = _publication_for(request, public_id)
        values = validate_body(UploadIn, request.data)
        return job_response(
            request, publication_jobs.start_upload(publication=publication, by=current_user(request), **values)
        )
