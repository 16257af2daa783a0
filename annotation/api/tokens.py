"""One's own API tokens. A token is shown once, when it is made; making one needs a signed-in session."""

from django.contrib.auth.models import User
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.authentication import SessionAuthentication
from annotation.api.common import PAGE, checked, documented, page_of
from annotation.api.serializers import TokenIn, TokenMade, TokenOut
from annotation.models import ApiToken
from annotation.services import tokens
from annotation.services.errors import NotFound


class Tokens(APIView):
    """One's own tokens."""

    def get_authenticators(self) -> list[BaseAuthentication]:
        # A stolen token must not be able to make itself a longer life: making one takes a session.
        if self.request is not None and self.request.method == "POST":
            return [SessionAuthentication()]
        return super().get_authenticators()

    @documented(answers={200: TokenOut(many=True)}, parameters=PAGE, tags=["tokens"], summary="My tokens")
    def get(self, request: Request) -> Response:
        assert isinstance(request.user, User)
        return page_of(request, ApiToken.objects.filter(user=request.user).order_by("-id"), TokenOut)

    @documented(request=TokenIn, answers={201: TokenMade}, tags=["tokens"], summary="Make a token")
    def post(self, request: Request) -> Response:
        assert isinstance(request.user, User)
        token, plain = tokens.create_token(user=request.user, **checked(TokenIn, request.data))
        return Response({**TokenOut(token).data, "token": plain}, status=201)


class OneToken(APIView):
    """One token."""

    @documented(answers={204: None}, tags=["tokens"], summary="Revoke a token")
    def delete(self, request: Request, public_id: str) -> Response:
        assert isinstance(request.user, User)
        token = ApiToken.objects.filter(user=request.user, public_id=public_id).first()
        if token is None:
            raise NotFound("There is no such token, or it is not yours.")
        tokens.revoke(token=token, by=request.user)
        return Response(status=204)
