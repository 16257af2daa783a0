"""Where chat models are reached, and with which key: both come from the environment, neither from a configuration."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from modelbridge.systems.protocol import SystemFault

SETTING = "EPITOME_CHAT_SERVERS"
KEY_NAME = r"(?!EPITOME_)[A-Z][A-Z0-9_]{0,60}_API_KEY"
"""Only such variables can be sent to a server: a configuration that names another one would hand out its value."""
_NAME = re.compile(r"[a-z][a-z0-9-]{0,59}")


class BadServers(ValueError):
    """The list of servers cannot be used; the message says what stands there and what should."""


@dataclass(frozen=True)
class Server:
    """A server that may be asked. base: its URL up to and with /v1. key_env: the only key that it may get; "": any."""

    name: str
    base: str
    key_env: str = ""


def read_servers(text: str) -> dict[str, Server]:
    """The servers of a setting such as `lab=http://10.0.0.5:8000/v1 openai=https://api.openai.com/v1#OPENAI_API_KEY`.

    Entries are parted by blanks. What stands after # is the variable of the only key that is sent there.
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
    """The server of a name. Raises SystemFault naming those there are."""
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
    """The key to send, read anew each time and kept nowhere; "" where none is named. Raises SystemFault, never with
    the key in it."""
    environ = os.environ if environ is None else environ
    if server.key_env and key_env and key_env != server.key_env:
        raise SystemFault(f"the server {server.name} gets the key {server.key_env} only, not {key_env}")
    name = key_env or server.key_env
    if not name:
        return ""
    key = environ.get(name, "").strip()
    if not key:
        raise SystemFault(f"the key {name} is not set where this system runs; set the variable for the workers")
    if not (key.isascii() and key.isprintable()):
        raise SystemFault(f"the key in {name} holds characters that cannot be sent")
    return key
