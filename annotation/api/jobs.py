"""Jobs: how far they are and how they ended."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.common import PAGE, documented, page_of
from annotation.api.serializers import JobOut
from annotation.models import Job
from annotation.services import access


class Jobs(APIView):
    """The jobs of a project."""

    @documented(answers={200: JobOut(many=True)}, parameters=PAGE, tags=["jobs"], summary="Jobs of a project")
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        return page_of(request, Job.objects.filter(project=project).select_related("project").order_by("-id"), JobOut)


class OneJob(APIView):
    """One job."""

    @documented(answers={200: JobOut}, tags=["jobs"], summary="Read a job")
    def get(self, request: Request, public_id: str) -> Response:
        return Response(JobOut(access.row_for(request.user, Job.objects.all(), public_id, access.MAKERS)).data)
