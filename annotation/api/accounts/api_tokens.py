"""One's own API tokens. A token is shown once, when it is created; creating one needs a signed-in session."""

import uuid

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.accounts.serializers import TokenIn, TokenMade, TokenOut
from annotation.api.core.authentication import SessionAuthentication
from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.models import ApiToken
from annotation.services.accounts import api_tokens


class Tokens(APIView):
    """One's own tokens."""

    def get_authenticators(self) -> list[BaseAuthentication]:
        # A stolen token must not be able to create a longer-lived one: creating a token needs a session.
        if self.request is not None and self.request.method == "POST":
            return [SessionAuthentication()]
        return super().get_authenticators()

    @document_call(
        "tokens_list", "My tokens", answers={200: page_serializer(TokenOut)}, parameters=PAGE_PARAMETERS, tag="tokens"
    )
    def get(self, request: Request) -> Response:
        return page_response(request, ApiToken.objects.filter(user=current_user(request)).order_by("-id"), TokenOut)

    @document_call("tokens_make", "Make a token", request=TokenIn, answers={201: TokenMade}, tag="tokens")
    def post(self, request: Request) -> Response:
        """With the browser's session only: a token cannot make another one."""
        token, plain_token = api_tokens.create_token(user=current_user(request), **validate_body(TokenIn, request.data))
        return Response({**TokenOut(token).data, "token": plain_token}, status=201)


class OneToken(APIView):
    """One token."""

    @document_call("tokens_revoke", "Revoke a token", answers={204: None}, tag="tokens")
    def delete(self, request: Request, public_id: uuid.UUID) -> Response:
        """One's own; site admins revoke anybody's."""
        api_tokens.revoke_token(
            token=api_tokens.get_token(user=current_user(request), public_id=public_id), by=current_user(request)
        )
        return Response(status=204)
