"""Whose request it is, by address: what the connection says, or what one's own proxy says where one is named."""

from ipaddress import IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The client's address. X-Forwarded-For counts only with EPITOME_BEHIND_PROXY, and only what one's own proxy wrote.

    That is its last entry; entries that are proxies themselves (EPITOME_PROXY_IPS) are passed over. Where proxies are
    named, the header of anybody else is ignored.
    """
    sender = str(request.META.get("REMOTE_ADDR", ""))
    if not settings.EPITOME_BEHIND_PROXY or (settings.EPITOME_PROXY_IPS and not _is_proxy(sender)):
        return normalize_address(sender)
    entries = [entry.strip() for entry in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if entry.strip()]
    while len(entries) > 1 and _is_proxy(entries[-1]):
        entries.pop()
    return normalize_address(entries[-1] if entries else sender)


def normalize_address(address: str) -> str:
    """One household or server has a whole /64 of IPv6 addresses, and counts as one. Never longer than 60 characters."""
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
