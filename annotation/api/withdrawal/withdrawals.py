"""Withdrawals of a person's work: list, preview, execute."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.api.withdrawal.serializers import WithdrawalAsked, WithdrawalIn, WithdrawalOut, WithdrawalPreviewOut
from annotation.services.core import access
from annotation.services.withdrawal import withdraw as withdrawal

TAG = "members"


def _build_withdrawal_request(values: dict[str, Any]) -> withdrawal.WithdrawalScope:
    return withdrawal.WithdrawalScope(
        **{name: values[name] for name in ("remove_texts", "mask_name", "leave_out", "reopen")}
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
        "withdrawals_make", "Withdraw a person's work", request=WithdrawalIn, answers={201: WithdrawalOut}, tag=TAG
    )
    def post(self, request: Request, slug: str) -> Response:
        """It cannot be undone. 409 (code changed) where the preview would show another total by now."""
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
