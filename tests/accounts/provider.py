"""A provider of OpenID Connect on the loopback address: discovery, keys, authorization, token and userinfo.

It signs in whom a test names, at once, and spoils what a test wants spoilt.
"""

import base64
import functools
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from epitome.site.oidc import GroupRoles, OidcSettings

CLIENT, SECRET = "epitome", "the-client-secret-of-the-tests-32-bytes"


@functools.cache
def make_key(name: str) -> RSAKey:
    """Once per process: making one takes a second."""
    return RSAKey.generate_key(2048, {"kid": name})


class Provider:
    """claims: what it says of the person who signs in. spoil: claims of the ID token that take the place of the right
    ones; None takes one out."""

    def __init__(self) -> None:
        self.key, self.other_key = make_key("first"), make_key("second")
        self.claims: dict[str, Any] = {"sub": "248289761001", "preferred_username": "annotator1"}
        self.userinfo: dict[str, Any] = {}
        self.spoil: dict[str, Any] = {}
        self.algorithm, self.signs_with = "RS256", self.key
        self.names_keys = True
        self.refusal = ""
        self.token_status = 200
        self.codes: dict[str, dict[str, str]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.answer(self, dict_of(urlsplit(self.path).query))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                provider.answer(self, dict_of(body))

            def log_message(self, *_args: Any) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, handler: BaseHTTPRequestHandler, sent: dict[str, str]) -> None:
        path = urlsplit(handler.path).path
        self.asked.append((path, sent))
        if path == "/authorize":
            handler.send_response(302)
            handler.send_header("Location", f"{sent['redirect_uri']}?{urlencode(self.authorize(sent))}")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        documents = {
            "/.well-known/openid-configuration": self.describe,
            "/jwks": lambda: {"keys": [self.key.as_dict(private=False)]},
            "/token": lambda: self.redeem(sent),
            "/userinfo": lambda: {"sub": self.claims["sub"], **self.userinfo},
        }
        body = json.dumps(documents[path]()).encode()
        handler.send_response(self.token_status if path == "/token" else 200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def describe(self) -> dict[str, Any]:
        ends = {name: f"{self.issuer}/{path}" for name, path in ENDPOINTS.items()}
        algorithms = ["RS256", "HS256", "none"]
        return {"issuer": self.issuer, "id_token_signing_alg_values_supported": algorithms, **ends}

    def authorize(self, sent: dict[str, str]) -> dict[str, str]:
        if self.refusal:
            return {"error": self.refusal, "state": sent["state"]}
        code = secrets.token_urlsafe(8)
        self.codes[code] = sent
        return {"code": code, "state": sent["state"]}

    def redeem(self, sent: dict[str, str]) -> dict[str, Any]:
        """The token of a code, once, for who proves to have asked for it (PKCE, S256)."""
        result = self.codes.pop(sent.get("code", ""), None)
        proof = base64.urlsafe_b64encode(hashlib.sha256(sent.get("code_verifier", "").encode()).digest()).decode()
        if result is None or result["code_challenge_method"] != "S256" or result["code_challenge"] != proof.rstrip("="):
            self.token_status = 400
            return {"error": "invalid_grant"}
        token = self.sign_token(result["nonce"])
        return {"access_token": "the-access-token", "token_type": "Bearer", "expires_in": 300, "id_token": token}

    def sign_token(self, nonce: str) -> str:
        now = int(time.time())
        times = {"iat": now, "exp": now + 300}
        claims = {"iss": self.issuer, "aud": CLIENT, "nonce": nonce, **times, **self.claims, **self.spoil}
        claims = {name: value for name, value in claims.items() if value is not None}
        if self.algorithm == "none":
            head, body = ({"alg": "none"}, claims)
            results = [
                base64.urlsafe_b64encode(json.dumps(item).encode()).decode().rstrip("=") for item in (head, body)
            ]
            return f"{results[0]}.{results[1]}."
        key = OctKey.import_key(SECRET) if self.algorithm == "HS256" else self.signs_with
        head = {"alg": self.algorithm}
        return jwt.encode({**head, "kid": key.kid} if self.names_keys and key.kid else head, claims, key)

    def build_settings(self, group_roles: GroupRoles | None = None, **changes: Any) -> OidcSettings:
        values = {
            "issuer": self.issuer,
            "client_id": CLIENT,
            "client_secret": SECRET,
            "scopes": "openid profile email",
            "label": "Example University",
            "groups_claim": "groups",
            "group_roles": group_roles or GroupRoles(),
            "creates_accounts": True,
            "links_by_email": False,
            "site_factor": False,
        }
        return OidcSettings(**{**values, **changes})


ENDPOINTS = {
    "authorization_endpoint": "authorize",
    "token_endpoint": "token",
    "jwks_uri": "jwks",
    "userinfo_endpoint": "userinfo",
}


def dict_of(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}


@contextmanager
def open_provider() -> Iterator[Provider]:
    provider = Provider()
    threading.Thread(target=provider.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield provider
    finally:
        provider.server.shutdown()
        provider.server.server_close()
