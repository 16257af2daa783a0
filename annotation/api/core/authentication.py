"""Authentication: a session with CSRF for browsers, a token for scripts."""

from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from rest_framework import authentication, exceptions
from rest_framework.request import Request

from annotation.models import ApiToken
from annotation.services.accounts import api_tokens

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class TokenAuthentication(authentication.BaseAuthentication):
    """`Authorization: Token ept_...`. A read token may not write."""

    keyword = b"token"

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        header_words = authentication.get_authorization_header(request).split()
        if not header_words or header_words[0].lower() != self.keyword:
            return None
        if len(header_words) != 2:
            raise exceptions.AuthenticationFailed(_("Write the header as: Authorization: Token THE-TOKEN"))
        token = api_tokens.find_token(header_words[1].decode("latin-1"))
        if token is None:
            raise exceptions.AuthenticationFailed(_("This token is unknown, expired or revoked."))
        if request.method not in SAFE_METHODS and token.scope != ApiToken.Scope.WRITE:
            raise exceptions.PermissionDenied(_("This token may only read."))
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Token"


class SessionAuthentication(authentication.SessionAuthentication):
    """The browser's session; unsafe calls need the CSRF token. Named so that 401 carries a challenge."""

    def authenticate_header(self, request: Any) -> str:
        return "Session"
