"""Which addresses a webhook may be sent to: those of hosts that the operator lists, and no private ones by accident.

A name is resolved once for each try. Every address that it has must be allowed, and the connection is opened to the
addresses that were checked, so that a name which answers differently the second time leads nowhere else.
"""

import re
import socket
import threading
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address, ip_network
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.services.core.errors import BadInput
from epitome.site.webhook_hosts import PORTS, find_allowed

MAX_URL = 500
PLAIN_URL = re.compile(r"[\x21-\x7e]+")
GLOBAL_UNICAST = ip_network("2000::/3")
TUNNELS = (ip_network("2001::/32"), ip_network("2002::/16"))
"""Teredo and 6to4: addresses that embed others."""


class NotSent(Exception):
    """A delivery did not arrive; the message says why, without what the other side answered."""


@dataclass(frozen=True)
class Target:
    """Where a delivery goes. path: with its query. private: a private address is allowed."""

    scheme: str
    host: str
    port: int
    path: str
    private: bool

    @property
    def host_header(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == PORTS[self.scheme] else f"{name}:{self.port}"


def is_switched_on() -> bool:
    """Whether the operator lists any host."""
    return bool(settings.EPITOME_WEBHOOK_HOSTS)


def find_target(url: str) -> Target:
    """The target of a webhook's address. Raises BadInput (field url) where it cannot be used or is not listed."""
    plain = PLAIN_URL.fullmatch(url) and not re.search(r"[\\\"'<>]", url) and len(url) <= MAX_URL
    try:
        parts = urlsplit(url if plain else "")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host or parts.scheme not in PORTS or "@" in parts.netloc or "#" in url:
        message = _("Enter an address such as https://hooks.example.org/epitome, without a user name in it.")
        raise BadInput(message, field="url")
    port = PORTS[parts.scheme] if port is None else port
    allowed = find_allowed(settings.EPITOME_WEBHOOK_HOSTS, parts.scheme, host, port)
    if allowed is None:
        message = _(
            "This site may not send to %(scheme)s://%(host)s, port %(port)d. Its operator lists the hosts in "
            "EPITOME_WEBHOOK_HOSTS; addresses begin with https:// unless the host is listed with http://."
        )
        raise BadInput(message % {"scheme": parts.scheme, "host": host[:100], "port": port}, field="url")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port, path, allowed.private)


def find_addresses(target: Target, seconds: float) -> list[str]:
    """The addresses of the host, each of them checked. Raises NotSent: none within the time, or one not allowed."""
    addresses = _resolve_name(target.host, target.port, seconds)
    if not addresses:
        raise NotSent(_("The name of the host was not found."))
    if not all(is_reachable(address, private=target.private) for address in addresses):
        raise NotSent(
            _(
                "The host has a private address. The operator allows that by listing it as private:HOST or "
                "http://HOST:PORT in EPITOME_WEBHOOK_HOSTS."
            )
        )
    return addresses


def _resolve_name(host: str, port: int, seconds: float) -> list[str]:
    """The addresses of a name; [] where there are none in time. In a thread, since a look-up has no time limit."""
    rows: list[str] = []

    def look_up() -> None:
        try:
            rows.extend(str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError):
            return

    thread = threading.Thread(target=look_up, name="webhook-name", daemon=True)
    thread.start()
    thread.join(seconds)
    return list(dict.fromkeys([] if thread.is_alive() else rows))


def is_reachable(text: str, *, private: bool) -> bool:
    """Whether a delivery may go to this address. private: also to this machine and private networks."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if address.is_multicast or address.is_unspecified or text == "255.255.255.255":
        return False
    if private:
        return True
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_reserved
    is_tunnel = any(address in tunnel for tunnel in TUNNELS)
    return address.is_global and address in GLOBAL_UNICAST and not is_tunnel
