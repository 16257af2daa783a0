"""Invitation links, crowd links and their workers, bulk actions on members, withdrawals."""

import uuid
from typing import Any

from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.api.core.serializers import Strict
from annotation.models import CrowdLink, CrowdWorker, Invitation, Role, Withdrawal
from annotation.services.core import access
from annotation.services.people import crowd_links, invitations, member_bulk_actions, members, quotas
from annotation.services.withdrawal import withdraw as withdrawal

TAG = "members"
LINK = ["id", "name", "max_uses", "uses", "expires_at", "revoked_at", "created_at"]


class LinkIn(Strict):
    name = serializers.CharField(max_length=100, help_text="for the team: what it is for")
    max_uses = serializers.IntegerField(min_value=1, max_value=invitations.MOST_USES, required=False, default=1)
    days = serializers.IntegerField(min_value=1, max_value=invitations.MOST_DAYS, required=False, default=14)


class InvitationIn(LinkIn):
    roles = serializers.ListField(child=serializers.ChoiceField(Role.choices), min_length=1, max_length=5)


class InvitationOut(serializers.ModelSerializer[Invitation]):
    id = serializers.UUIDField(source="public_id")
    roles = serializers.ListField(child=serializers.ChoiceField(Role.choices))

    class Meta:
        model = Invitation
        fields = [*LINK, "roles"]


class InvitationMade(InvitationOut):
    url = serializers.CharField(help_text="shown once")

    class Meta(InvitationOut.Meta):
        fields = [*InvitationOut.Meta.fields, "url"]


class CrowdLinkIn(LinkIn):
    tasks = serializers.IntegerField(min_value=1, max_value=quotas.MOST_TASKS, help_text="quota of each person")
    id_parameter = serializers.CharField(max_length=40, required=False, default="PROLIFIC_PID")
    study_parameter = serializers.CharField(max_length=40, required=False, default="STUDY_ID", allow_blank=True)
    session_parameter = serializers.CharField(max_length=40, required=False, default="SESSION_ID", allow_blank=True)
    study = serializers.CharField(max_length=120, required=False, default="", allow_blank=True)
    signed = serializers.BooleanField(required=False, default=False)
    code = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)
    return_url = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)


class CrowdLinkOut(serializers.ModelSerializer[CrowdLink]):
    id = serializers.UUIDField(source="public_id")

    class Meta:
        model = CrowdLink
        fields = [
            *LINK,
            *("tasks", "id_parameter", "study_parameter", "session_parameter"),
            *("study", "signed", "code", "return_url"),
        ]


class CrowdLinkMade(CrowdLinkOut):
    url = serializers.CharField(help_text="shown once; the platform adds the parameters")
    signing_key = serializers.CharField(help_text="for signed ids: sig = HMAC-SHA256(key, id), hexadecimal; else empty")

    class Meta(CrowdLinkOut.Meta):
        fields = [*CrowdLinkOut.Meta.fields, "url", "signing_key"]


class CrowdWorkerOut(serializers.ModelSerializer[CrowdWorker]):
    username = serializers.CharField(source="user.username")
    link = serializers.UUIDField(source="link.public_id")

    class Meta:
        model = CrowdWorker
        fields = ["external_id", "username", "link", "study", "session", "first_at", "last_at", "completed_at"]


class MembersBulkIn(Strict):
    usernames = serializers.ListField(child=serializers.CharField(max_length=150), min_length=1, max_length=500)
    action = serializers.ChoiceField(member_bulk_actions.ACTIONS)
    role = serializers.ChoiceField(Role.choices, required=False, default="", help_text="for give and take")
    max_tasks = serializers.IntegerField(
        min_value=0, max_value=quotas.MOST_TASKS, required=False, allow_null=True, default=None
    )
    note = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)


class ChangedOut(serializers.Serializer[Any]):
    changed = serializers.IntegerField(help_text="people for whom something changed")


class WithdrawalAsked(Strict):
    person = serializers.CharField(max_length=150, help_text="account")
    remove_texts = serializers.BooleanField(required=False, default=False)
    mask_name = serializers.BooleanField(required=False, default=False)
    leave_out = serializers.BooleanField(required=False, default=False, help_text="of exports")
    reopen = serializers.BooleanField(required=False, default=False, help_text="offer the places to others")


class WithdrawalIn(WithdrawalAsked):
    expect = serializers.IntegerField(min_value=0, help_text="`total` of the preview")


class WithdrawalPreviewOut(serializers.Serializer[Any]):
    counts = serializers.DictField(child=serializers.IntegerField())
    releases = serializers.DictField(
        child=serializers.IntegerField(), help_text="tag of a release that cannot be built again byte for byte -> rows"
    )
    total = serializers.IntegerField()


class WithdrawalOut(serializers.ModelSerializer[Withdrawal]):
    id = serializers.UUIDField(source="public_id")
    person = serializers.CharField(source="person.username")
    counts = serializers.DictField(child=serializers.IntegerField())
    releases = serializers.DictField(child=serializers.IntegerField())

    class Meta:
        model = Withdrawal
        fields = ["id", "person", "remove_texts", "mask_name", "leave_out", "counts", "releases", "at"]


def _build_withdrawal_request(values: dict[str, Any]) -> withdrawal.WithdrawalScope:
    return withdrawal.WithdrawalScope(
        **{name: values[name] for name in ("remove_texts", "mask_name", "leave_out", "reopen")}
    )


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
            project=project, by=current_user(request), **validate_body(CrowdLinkIn, request.data)
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


class CrowdWorkers(APIView):
    """Who came by a crowd link."""

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


class Withdrawals(APIView):
    """What was withdrawn."""

    @document_call(
        "withdrawals_list",
        "List withdrawals",
        answers={200: page_serializer(WithdrawalOut)},
        parameters=PAGE_PARAMETERS,
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        return page_response(request, withdrawal.list_withdrawals(project), WithdrawalOut)

    @document_call(
        "withdrawals_make", "Withdraw somebody's work", request=WithdrawalIn, answers={201: WithdrawalOut}, tag=TAG
    )
    def post(self, request: Request, slug: str) -> Response:
        """It cannot be undone. 409 (code changed) where the preview would tell another total by now."""
        project = access.project_for(request.user, slug, access.ADMINS)
        values = validate_body(WithdrawalIn, request.data)
        person = withdrawal.get_participant(project, values["person"])
        row = withdrawal.withdraw_person(
            project=project,
            person=person,
            asked=_build_withdrawal_request(values),
            by=current_user(request),
            expect=values["expect"],
        )
        return Response(WithdrawalOut(row).data, status=201)


class WithdrawalPreview(APIView):
    """What a withdrawal would do."""

    @document_call(
        "withdrawals_preview",
        "Look before withdrawing",
        request=WithdrawalAsked,
        answers={200: WithdrawalPreviewOut},
        tag=TAG,
    )
    def post(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        values = validate_body(WithdrawalAsked, request.data)
        person = withdrawal.get_participant(project, values["person"])
        preview = withdrawal.preview_withdrawal(
            project=project, person=person, asked=_build_withdrawal_request(values), by=current_user(request)
        )
        return Response(WithdrawalPreviewOut(preview).data)
