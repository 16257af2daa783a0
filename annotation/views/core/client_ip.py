"""The client's IP address: that of the connection, or the one reported by a trusted proxy."""

from ipaddress import IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The client's address, reduced by normalize_address: for counting."""
    return normalize_address(find_client_ip(request))


def find_client_ip(request: HttpRequest) -> str:
    """The client's address as sent. X-Forwarded-For is used only with EPITOME_BEHIND_PROXY.

    Only the trusted proxy's entry counts. That is the last one; entries that are proxies themselves (EPITOME_PROXY_IPS)
    are skipped. Where proxies are listed, the header is ignored for requests from any other sender.
    """
    sender = str(request.META.get("REMOTE_ADDR", ""))
    if not settings.EPITOME_BEHIND_PROXY or (settings.EPITOME_PROXY_IPS and not _is_proxy(sender)):
        return sender
    entries = [entry.strip() for entry in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if entry.strip()]
    while len(entries) > 1 and _is_proxy(entries[-1]):
        entries.pop()
    return entries[-1] if entries else sender


def normalize_address(address: str) -> str:
    """Reduce an IPv6 address to its /64 network, so that one household counts once. At most 60 characters."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address[:60]
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or IPv6Address(int(parsed) >> 64 << 64))
    return str(parsed)


def _is_proxy(address: str) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in settings.EPITOME_PROXY_IPS)
