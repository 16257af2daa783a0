"""Addresses and keys of chat servers. Both come from the environment, never from a configuration."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from epitome.systems.protocol import SystemFault

SETTING = "EPITOME_CHAT_SERVERS"
KEY_NAME = r"(?!EPITOME_)[A-Z][A-Z0-9_]{0,60}_API_KEY"
"""Only variables with such names can be sent as keys, so that a configuration cannot leak other variables."""
_NAME = re.compile(r"[a-z][a-z0-9-]{0,59}")


class BadServers(ValueError):
    """The list of servers is invalid; the message names the entry and the expected format."""


@dataclass(frozen=True)
class Server:
    """A permitted server. base: its URL up to and including /v1. key_env: the only key sent to it; "": none."""

    name: str
    base: str
    key_env: str = ""


def read_servers(text: str) -> dict[str, Server]:
    """The servers of a setting such as `lab=http://10.0.0.5:8000/v1 openai=https://api.openai.com/v1#OPENAI_API_KEY`.

    Entries are separated by whitespace. After # comes the variable of the only key that is sent there; without it
    no key is.
    Raises BadServers.
    """
    servers: dict[str, Server] = {}
    for entry in text.split():
        server = _parse_server(entry)
        if server.name in servers:
            raise BadServers(f'{SETTING}: "{server.name}" stands twice')
        servers[server.name] = server
    return servers


def _parse_server(entry: str) -> Server:
    name, equals, url = entry.partition("=")
    if not equals or not _NAME.fullmatch(name):
        raise BadServers(f'{SETTING}: "{name[:40]}" is no NAME=URL; a name has lower-case letters, digits and hyphens')
    try:
        address = urlsplit(url)
        is_valid = (
            address.scheme in ("http", "https") and address.hostname and (address.port is None or address.port > 0)
        )
    except ValueError:
        is_valid = False
    if not is_valid or address.username or address.password or address.query:
        raise BadServers(
            f"{SETTING}: the URL of {name} must be http(s)://HOST[:PORT]/PATH, without a name or key in it"
        )
    if address.fragment and not re.fullmatch(KEY_NAME, address.fragment):
        raise BadServers(f"{SETTING}: after # of {name} goes the name of a variable that ends in _API_KEY")
    return Server(name, url.partition("#")[0].rstrip("/"), address.fragment)


def find_server(name: str, environ: Mapping[str, str] | None = None) -> Server:
    """The server with this name. Raises SystemFault, which lists the known names."""
    environ = os.environ if environ is None else environ
    try:
        servers = read_servers(environ.get(SETTING, ""))
    except BadServers as error:
        raise SystemFault(str(error)) from None
    if name not in servers:
        known = f"there are {', '.join(servers)}" if servers else "none is set up"
        raise SystemFault(f'no chat server "{name}"; {known}. An administrator names servers in {SETTING}.')
    return servers[name]


def read_key(server: Server, key_env: str, environ: Mapping[str, str] | None = None) -> str:
    """The key to send, read on every call and never stored; "" if none is named. Raises SystemFault, never with the key
    in its message."""
    environ = os.environ if environ is None else environ
    if key_env and key_env != server.key_env:
        allowed = f"the key {server.key_env} only" if server.key_env else "no key"
        raise SystemFault(
            f"the server {server.name} gets {allowed}, not {key_env}; an administrator names its key in {SETTING}: "
            f"{server.name}=URL#{key_env}"
        )
    name = server.key_env
    if not name:
        return ""
    key = environ.get(name, "").strip()
    if not key:
        raise SystemFault(f"the key {name} is not set where this system runs; set the variable for the workers")
    if not (key.isascii() and key.isprintable()):
        raise SystemFault(f"the key in {name} holds characters that cannot be sent")
    return key
