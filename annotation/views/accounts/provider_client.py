"""The conversation with the sign-in provider, by Authlib: it keeps state, nonce and PKCE, and checks the token.

Nothing of Authlib is imported before the first sign-in; it comes with the extra `oidc`.
"""

import functools
import logging
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from annotation.services.core.errors import ServiceError
from annotation.services.people.provider_accounts import LONGEST_SUBJECT, ProviderPerson
from epitome.site.oidc import OidcSettings

log = logging.getLogger(__name__)
NAME = "provider"
DISCOVERY = "/.well-known/openid-configuration"
TIMEOUT_SECONDS = 5
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by the provider's public keys. Neither "none" nor those by the client secret, whatever it offers."""
UNVERIFIED = "unverified"
MOST_GROUPS = 10_000


class SignInFailed(ServiceError):
    """The provider did not sign the person in; the message says why and what to do."""

    status = 403


class ProviderAway(SignInFailed):
    status = 503
    retry_after = 30


def redirect_to_provider(oidc: OidcSettings, request: HttpRequest, answer_url: str) -> HttpResponseBase:
    """To the provider's own sign-in page. Raises ProviderAway."""
    response: HttpResponseBase = _call(_load_client(oidc).authorize_redirect, request, answer_url)
    return response


def read_answer(oidc: OidcSettings, request: HttpRequest) -> ProviderPerson:
    """Fetch and check the token of the answer. Raises SignInFailed. No token is kept."""
    client = _load_client(oidc)
    try:
        token = _call(client.authorize_access_token, request, claims_options=_expected_claims(oidc))
    except SignInFailed as error:
        if error.code == UNVERIFIED:  # perhaps by a new key of the same name; the next try fetches the keys again
            client.server_metadata.pop("jwks", None)
        raise
    claims = dict(token.get("userinfo") or {})
    if not claims:
        raise _unverified("no ID token")
    if _lacks_claims(claims, oidc) and "userinfo_endpoint" in client.server_metadata:
        more = dict(_call(client.userinfo, token=token))
        if more.get("sub") != claims["sub"]:
            raise _unverified("userinfo of another subject")
        claims = {**more, **claims}
    return describe_person(claims, oidc.groups_claim)


def _expected_claims(oidc: OidcSettings) -> dict[str, Any]:
    """Beside signature, expiry and nonce, which are always checked."""
    return {
        "iss": {"essential": True, "value": oidc.issuer},
        "aud": {"essential": True, "value": oidc.client_id},
        "sub": {"essential": True},
        "exp": {"essential": True},
    }


def _lacks_claims(claims: dict[str, Any], oidc: OidcSettings) -> bool:
    return find_claim(claims, oidc.groups_claim) is None or not ("preferred_username" in claims or "email" in claims)


def describe_person(claims: dict[str, Any], groups_claim: str) -> ProviderPerson:
    """The person of checked claims. Raises SignInFailed for claims that are none."""
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT or "\0" in subject:
        raise _unverified("no usable subject")
    names = claims.get("_claim_names")
    if isinstance(names, dict) and groups_claim in names:
        raise SignInFailed(
            _("You are in more groups than your provider sends, so your roles are unknown. Ask the site's admin."),
            code="too_many_groups",
        )
    email = _read_text(claims, "email")
    return ProviderPerson(
        subject=subject,
        groups=_read_groups(claims, groups_claim),
        name=_read_text(claims, "preferred_username") or email,
        email=email if claims.get("email_verified") is True else "",
    )


def _read_text(claims: dict[str, Any], name: str) -> str:
    value = claims.get(name)
    return value.replace("\0", "").strip()[:254] if isinstance(value, str) else ""


def find_claim(claims: dict[str, Any], name: str) -> Any:
    """The claim of this name, else by its path: realm_access.roles. None: it is absent."""
    if name in claims:
        return claims[name]
    value: Any = claims
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _read_groups(claims: dict[str, Any], groups_claim: str) -> frozenset[str]:
    """Groups that are not sent are none: a role that no group backs any more must not stay."""
    value = find_claim(claims, groups_claim)
    if value is None:
        log.warning("The sign-in provider sent no claim %r, so nobody has groups", groups_claim)
        return frozenset()
    groups = [value] if isinstance(value, str) else value
    if not isinstance(groups, list) or len(groups) > MOST_GROUPS:
        raise _unverified("groups are no list")
    return frozenset(group for group in groups if isinstance(group, str))


def _load_client(oidc: OidcSettings) -> Any:
    """The client with the provider's metadata, fetched once per process. Raises ProviderAway."""
    client = _build_client(oidc.issuer, oidc.client_id, oidc.client_secret, oidc.scopes)
    metadata = _call(client.load_server_metadata)
    offered = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
    client.server_metadata["id_token_signing_alg_values_supported"] = [name for name in offered if name in ALGORITHMS]
    return client


@functools.lru_cache(maxsize=1)
def _build_client(issuer: str, client_id: str, client_secret: str, scopes: str) -> Any:
    from authlib.integrations.django_client import OAuth

    return OAuth().register(
        NAME,
        client_id=client_id,
        client_secret=client_secret,
        server_metadata_url=issuer.rstrip("/") + DISCOVERY,
        client_kwargs={"scope": scopes, "code_challenge_method": "S256", "default_timeout": TIMEOUT_SECONDS},
    )


def _call(ask: Any, *args: Any, **kwargs: Any) -> Any:
    """Call Authlib; its errors become words for a person, and one line of the log for the operator."""
    from authlib.integrations.base_client import MismatchingStateError, OAuthError
    from joserfc.errors import JoseError
    from requests import RequestException

    try:
        return ask(*args, **kwargs)
    except RequestException as error:
        log.warning("The sign-in provider does not answer: %.300s", error)
        raise ProviderAway(
            _("The sign-in provider is not responding. Please try again in a few minutes."), code="provider_away"
        ) from None
    except MismatchingStateError:
        raise SignInFailed(
            _("This sign-in has expired, or was started in another browser. Please start again."), code="wrong_state"
        ) from None
    except OAuthError as error:
        raise _describe_refusal(error) from None
    except (JoseError, ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise _unverified(f"{type(error).__name__}: {error}") from None


def _describe_refusal(error: Any) -> SignInFailed:
    if error.error == "access_denied":
        message = _("The sign-in was cancelled, or your provider does not let you use this site.")
        return SignInFailed(message, code="access_denied")
    log.warning("The sign-in provider refused: %.100r %.200r", error.error, error.description)
    message = _("The sign-in provider refused. Please start again; if it happens again, tell the site's admin.")
    return SignInFailed(message, code="provider_refused")


def _unverified(why: str) -> SignInFailed:
    log.warning("An answer of the sign-in provider was refused: %.300s", why)
    message = _("The provider's answer could not be verified. Please start again; if it happens again, tell the admin.")
    return SignInFailed(message, code=UNVERIFIED)
