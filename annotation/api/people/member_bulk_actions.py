"""Bulk actions on members."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.requests import current_user, validate_body
from annotation.api.people.serializers import ChangedOut, MembersBulkIn
from annotation.services.core import access
from annotation.services.people import member_bulk_actions, members

TAG = "members"


class MembersBulk(APIView):
    """One action on several members."""

    @document_call("members_bulk", "Act on several members", request=MembersBulkIn, answers={200: ChangedOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """Roles, quotas (max_tasks null: no limit), pause and resume, closing and opening accounts, resetting second
        factors; all of it or nothing. Accounts and second factors are for site admins."""
        project = access.project_for(request.user, slug, access.ADMINS)
        values = validate_body(MembersBulkIn, request.data)
        users = members.find_members(project, values.pop("usernames"))
        return Response(
            {
                "changed": member_bulk_actions.act_on_members(
                    project=project, users=users, by=current_user(request), **values
                )
            }
        )
