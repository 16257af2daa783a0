"""What the sign-in page offers: the provider, passwords, or both."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.http import urlencode

from annotation.views.core.form_pages import INTERRUPTED
from epitome.site.oidc import OidcSettings


def describe_ways_in(next_url: str, *, interrupted: bool = False) -> dict[str, Any]:
    """For the template of the sign-in page. next_url: where the person goes afterwards, or ""."""
    oidc: OidcSettings | None = settings.EPITOME_OIDC
    query = urlencode({"next": next_url} if next_url else {}) + (f"&{INTERRUPTED}=1" if interrupted else "")
    return {
        "offers_passwords": settings.EPITOME_PASSWORD_SIGN_IN,
        "offers_resets": settings.EPITOME_PASSWORD_RESETS,
        "provider": oidc,
        "provider_url": f"{reverse('provider-sign-in')}?{query}" if oidc is not None else "",
        "interrupted": interrupted,
    }
