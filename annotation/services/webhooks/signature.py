"""The secret of a webhook, and the signature that every delivery carries.

The secret is derived from the site's key and a random number of the webhook: neither the database nor a backup holds
it. It is shown once. A digest of it shows when the site's key was changed, so that nothing is sent with a wrong
signature.
"""

import hashlib
import hmac
import secrets

from django.utils.crypto import salted_hmac

from annotation.models import Webhook

PREFIX = "eph_"
SALT = "annotation.webhooks"


def derive_secret(nonce: str) -> str:
    return PREFIX + salted_hmac(SALT, nonce, algorithm="sha256").hexdigest()


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def make_secret() -> tuple[str, dict[str, str]]:
    """A new secret, and the columns of the webhook that has it."""
    nonce = secrets.token_hex(32)
    secret = derive_secret(nonce)
    return secret, {"secret_nonce": nonce, "secret_digest": hash_secret(secret)}


def find_secret(webhook: Webhook) -> str | None:
    """The secret that was shown; None once the site's key is another one."""
    secret = derive_secret(webhook.secret_nonce)
    return secret if hmac.compare_digest(hash_secret(secret), webhook.secret_digest) else None


def sign_body(secret: str, body: bytes, timestamp: int) -> str:
    """The header `Epitome-Signature`: the time, and the HMAC-SHA256 of time, dot and body in hexadecimal digits."""
    digest = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={timestamp},v1={digest}"
