"""The hosts that webhooks may be sent to, as the operator lists them in EPITOME_WEBHOOK_HOSTS."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

PORTS = {"https": 443, "http": 80}
_NAME = re.compile(r"\.?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|[0-9a-f:]+")


class BadHosts(ValueError):
    """An entry of the list cannot be used; the message names it and the expected form."""


@dataclass(frozen=True)
class AllowedHost:
    """One entry. name: in lower case; `.example.org` is the domain and all names below it. private: its address may be
    one of a private network or of this machine."""

    name: str
    port: int
    scheme: str = "https"
    private: bool = False

    def __str__(self) -> str:
        """The entry as it is written, without what goes without saying."""
        name = f"[{self.name}]" if ":" in self.name else self.name
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        start = "http://" if self.scheme == "http" else "private:" if self.private else ""
        return f"{start}{name}{port}"

    def covers(self, scheme: str, host: str, port: int) -> bool:
        if (scheme, port) != (self.scheme, self.port):
            return False
        return host == self.name or (self.name[0] == "." and f".{host}".endswith(self.name))


def read_hosts(entries: Iterable[str]) -> list[AllowedHost]:
    """The entries of the setting, such as `hooks.example.org`, `.example.org:8443`, `private:ci.lab` or
    `http://10.0.0.5:9000`. Raises BadHosts."""
    return [_parse_entry(entry) for entry in entries]


def _parse_entry(entry: str) -> AllowedHost:
    scheme, private, rest = "https", False, entry
    if entry.startswith("http://"):
        scheme, private, rest = "http", True, entry.removeprefix("http://")
    elif entry.startswith("private:"):
        private, rest = True, entry.removeprefix("private:")
    try:
        parts = urlsplit(f"//{rest}")
        name, port = (parts.hostname or ""), parts.port
    except ValueError:
        name, port = "", None
    is_whole = parts.netloc == rest if name else False
    if not is_whole or "@" in rest or not _NAME.fullmatch(name) or port == 0:
        raise BadHosts(
            f'"{entry[:80]}" is no host; write hooks.example.org, .example.org for a domain, private:HOST for a private'
            " address, or http://HOST:PORT without encryption"
        )
    if private and name.startswith("."):
        raise BadHosts(f'"{entry[:80]}" is a domain; hosts with http:// or private: are listed one by one')
    return AllowedHost(name, port or PORTS[scheme], scheme, private)


def find_allowed(hosts: Iterable[AllowedHost], scheme: str, host: str, port: int) -> AllowedHost | None:
    """The entry that allows an address, one for private addresses first; None: it is not listed."""
    covering = [entry for entry in hosts if entry.covers(scheme, host, port)]
    return max(covering, key=lambda entry: entry.private, default=None)
