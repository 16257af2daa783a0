"""One's own API tokens. A token is shown once, when it is made; making one needs a signed-in session."""

import uuid

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.authentication import SessionAuthentication
from annotation.api.common import caller, checked, page_of
from annotation.api.openapi import PAGE, documented, page_of_shape
from annotation.api.serializers import TokenIn, TokenMade, TokenOut
from annotation.models import ApiToken
from annotation.services import tokens


class Tokens(APIView):
    """One's own tokens."""

    def get_authenticators(self) -> list[BaseAuthentication]:
        # A stolen token must not be able to make itself a longer life: making one takes a session.
        if self.request is not None and self.request.method == "POST":
            return [SessionAuthentication()]
        return super().get_authenticators()

    @documented("tokens_list", "My tokens", answers={200: page_of_shape(TokenOut)}, parameters=PAGE, tag="tokens")
    def get(self, request: Request) -> Response:
        return page_of(request, ApiToken.objects.filter(user=caller(request)).order_by("-id"), TokenOut)

    @documented("tokens_make", "Make a token", request=TokenIn, answers={201: TokenMade}, tag="tokens")
    def post(self, request: Request) -> Response:
        """With the browser's session only: a token cannot make another one."""
        token, plain = tokens.create_token(user=caller(request), **checked(TokenIn, request.data))
        return Response({**TokenOut(token).data, "token": plain}, status=201)


class OneToken(APIView):
    """One token."""

    @documented("tokens_revoke", "Revoke a token", answers={204: None}, tag="tokens")
    def delete(self, request: Request, public_id: uuid.UUID) -> Response:
        """One's own; site admins revoke anybody's."""
        tokens.revoke(token=tokens.token_for(user=caller(request), public_id=public_id), by=caller(request))
        return Response(status=204)
