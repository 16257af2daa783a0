"""What the settings of the site read from the environment. A bad value stops the start with a message that names it."""

import os
import re
import secrets
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from epitome.environment_values import BadSetting as BadSetting
from epitome.environment_values import read_flag as read_flag
from epitome.environment_values import read_number as read_number
from epitome.environment_values import read_text as read_text
from epitome.site.webhook_hosts import AllowedHost, BadHosts, read_hosts
from epitome.systems.chat_servers import BadServers, read_servers

# A request that publishes a message must not wait for an unreachable broker: one try, 0.2 seconds.
REDIS_OPTIONS = {
    "socket_connect_timeout": 0.2,
    "socket_timeout": 5,
    "visibility_timeout": 3600,
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0,
    "interval_max": 0,
}
MAIL_BACKENDS = "django.core.mail.backends"
SMTP = f"{MAIL_BACKENDS}.smtp.EmailBackend"
SENDS_NOTHING = ("console", "dummy", "filebased", "locmem")
# A server that cannot be reached is given up after seconds, also in the middle of a connection.
CONNECTION_OPTIONS = {"connect_timeout": 5, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}


def read_price(name: str) -> tuple[float, str] | None:
    """(amount, currency) of a setting such as "2.10 EUR"; None where it is not set."""
    text = read_text(name)
    if not text:
        return None
    if not (found := re.fullmatch(r"(\d{1,9}(?:\.\d{1,6})?) ([A-Z]{3})", text)):
        raise BadSetting(f"{name}={text!r} is no price; write a number and a currency, such as 2.10 EUR")
    return float(found[1]), found[2]


def read_list(name: str) -> list[str]:
    return [entry.strip() for entry in os.environ.get(name, "").split(",") if entry.strip()]


def read_max_upload() -> int:
    """The largest file that may be uploaded, in bytes; the web server's limit of a request follows it."""
    return read_number("EPITOME_MAX_UPLOAD", 200 * 1024 * 1024, low=1024)


def read_networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Addresses or networks, separated by commas."""
    try:
        return [ip_network(entry) for entry in read_list(name)]
    except ValueError as error:
        raise BadSetting(f"{name}: {error}; name addresses or networks such as 10.0.0.5,192.168.7.0/24") from None


def read_choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = read_text(name, default) or default
    if value not in allowed:
        raise BadSetting(f"{name}={value!r} is unknown; use one of {', '.join(allowed)}")
    return value


INTERFACE_LANGUAGES = {"en": "English", "de": "Deutsch", "zh-hans": "简体中文", "ar": "العربية"}
"""Languages of the pages, by their own names; each but English has a catalogue in locale/."""


def interface_languages(name: str) -> list[tuple[str, str]]:
    """The Django LANGUAGES entry: the languages that people may choose from, all where nothing is set."""
    codes = [code.lower() for code in read_list(name)] or list(INTERFACE_LANGUAGES)
    for code in codes:
        if code not in INTERFACE_LANGUAGES:
            raise BadSetting(f"{name}: {code!r} is unknown; use some of {', '.join(INTERFACE_LANGUAGES)}")
    if "en" not in codes:
        raise BadSetting(f"{name} leaves out en, in which texts are stored and files written; add it")
    return [(code, INTERFACE_LANGUAGES[code]) for code in dict.fromkeys(codes)]


def database_settings(name: str, data_dir: Path) -> dict[str, Any]:
    """The Django DATABASES entry for a URL such as sqlite:///file.sqlite3 or postgresql://user:pw@host/name."""
    url = read_text(name) or f"sqlite:///{data_dir / 'epitome.sqlite3'}"
    url_parts = urlsplit(url)
    if url_parts.scheme in ("sqlite", "sqlite3"):
        return _sqlite_settings(name, url, url_parts.path)
    if url_parts.scheme in ("postgresql", "postgres"):
        return _postgresql_settings(name, url)
    raise BadSetting(
        f"{name} starts with {url_parts.scheme or url[:20]!r}; use sqlite:///FILE or postgresql://USER@HOST:PORT/NAME"
    )


def _sqlite_settings(name: str, url: str, path: str) -> dict[str, Any]:
    file = unquote(path[1:]) if path.startswith("/") else ""
    if not file:
        raise BadSetting(f"{name}={url!r} names no file; use sqlite:///relative.sqlite3 or sqlite:////absolute.sqlite3")
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": file,
        # A new connection reads the whole schema again: 2 to 3 ms, as much as a request.
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
            " PRAGMA temp_store=MEMORY; PRAGMA cache_size=-16000;",
        },
    }


def _postgresql_settings(name: str, url: str) -> dict[str, Any]:
    url_parts = urlsplit(url)
    try:
        port = url_parts.port or ""
    except ValueError as error:
        raise BadSetting(f"{name} has a bad port: {error}") from None
    if not url_parts.path.strip("/"):
        raise BadSetting(f"{name} names no database; use postgresql://USER@HOST:PORT/NAME")
    options: dict[str, Any] = dict(parse_qsl(url_parts.query))
    may_prepare = read_flag("EPITOME_DB_PREPARE", True)
    if may_prepare:
        # For annotation.services.core.prepared_queries only, as Django's own cursors never prepare: plan a statement at
        # its first use on a connection, for any values. The planner thinks such a plan dearer than it is; compiling it
        # (JIT) would take longer than running it.
        options.setdefault("prepare_threshold", 0)
        options.setdefault("options", "-c plan_cache_mode=force_generic_plan -c jit=off")
    for option, value in CONNECTION_OPTIONS.items():
        options.setdefault(option, value)
    pool_max = read_number("EPITOME_DB_POOL", 8, low=0, high=200)
    if pool_max:
        # A failed attempt to connect is repeated for `reconnect_timeout` with growing pauses, then by the next request:
        # short, so that the site answers within seconds once the server is back.
        options["pool"] = {"min_size": 1, "max_size": pool_max, "timeout": 5, "reconnect_timeout": 3}
    return {
        "ENGINE": "epitome.site.postgresql",
        "NAME": unquote(url_parts.path.strip("/")),
        "USER": unquote(url_parts.username or ""),
        "PASSWORD": unquote(url_parts.password or ""),
        "HOST": unquote(url_parts.hostname or ""),
        "PORT": port,
        "CONN_HEALTH_CHECKS": False,
        # A pooler that hands out another server session per transaction would lose them.
        "DISABLE_SERVER_SIDE_CURSORS": not may_prepare,
        "OPTIONS": options,
    }


def secret_key(name: str, data_dir: Path, *, production: bool) -> str:
    """The secret from the environment; outside production one is generated once, in a file only its owner can read."""
    value = read_text(name)
    if production and len(value) < 32:
        raise BadSetting(f"{name} is missing or shorter than 32 characters; production does not start without it")
    if value:
        return value
    file = data_dir / "secret_key"
    try:
        if not file.exists():
            _create_key_file(file)
        stored_key = file.read_text(encoding="ascii").strip()
    except OSError as error:
        raise BadSetting(f"EPITOME_DATA_DIR={str(data_dir)!r} cannot be written: {error.strerror}") from None
    if not stored_key:
        raise BadSetting(f"{file} is empty; delete it, or restore it from a backup")
    return stored_key


def _create_key_file(file: Path) -> None:
    """A new key, under its name only when it is complete: of processes that start together the first one wins."""
    half_file = file.with_name(f".secret_key.{secrets.token_hex(8)}")
    handle = os.open(half_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as out:
            out.write(secrets.token_urlsafe(50))
            out.flush()
            os.fsync(out.fileno())
        os.link(half_file, file)
    except FileExistsError:
        return
    finally:
        half_file.unlink()


def is_checkout(root: Path) -> bool:
    """Whether the folder is a checkout of the repository; else it is where packages are installed."""
    return (root / "manage.py").is_file() and (root / "templates").is_dir()


def default_data_folder(root: Path) -> Path:
    """`var/` of a checkout; of an installed package the user's own data folder (XDG_DATA_HOME)."""
    if is_checkout(root):
        return root / "var"
    return Path(read_text("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "epitome"


def private_folder(name: str, default: Path) -> Path:
    """The data folder, made if it is absent, without rights for others: it holds texts, password hashes and keys.

    The rights of a group are left where the operator lets it write; otherwise they are taken away too.
    """
    folder = Path(read_text(name) or default).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        status = folder.stat()
        closed = status.st_mode & (0o7770 if status.st_mode & 0o020 else 0o7700)
        if status.st_uid == os.geteuid() and closed != status.st_mode & 0o7777:
            folder.chmod(closed)
    except OSError as error:
        raise BadSetting(f"{name}={str(folder)!r} cannot be written: {error.strerror}") from None
    return folder


def mail_backend(*, production: bool, resets: bool) -> str:
    """How mail is sent. Production with password resets does not start without a way to send them."""
    default = SMTP if read_text("EPITOME_EMAIL_HOST") else f"{MAIL_BACKENDS}.console.EmailBackend"
    backend = read_text("EPITOME_EMAIL_BACKEND") or default
    if production and resets and backend.removeprefix(f"{MAIL_BACKENDS}.").split(".")[0] in SENDS_NOTHING:
        raise BadSetting(
            "EPITOME_EMAIL_HOST or EPITOME_EMAIL_BACKEND must name a way to send mail: password resets need it, and the"
            " console would write their links into the log; or switch resets off with EPITOME_PASSWORD_RESETS=0"
        )
    return backend


def chat_servers(name: str) -> list[str]:
    """The names of the chat servers that systems may call. Their URLs and keys stay in the environment."""
    try:
        return list(read_servers(read_text(name)))
    except BadServers as error:
        raise BadSetting(str(error)) from None


def webhook_hosts(name: str) -> list[AllowedHost]:
    """The hosts that webhooks may be sent to; none: webhooks are off."""
    try:
        return read_hosts(read_list(name))
    except BadHosts as error:
        raise BadSetting(f"{name}: {error}") from None


def broker_settings(name: str) -> tuple[str, str, Mapping[str, Any]]:
    """Celery's broker URL, transport and transport options: Redis where named, else the memory of each worker.

    The transport is named, not imported: the web process needs no broker library to start.
    """
    url = read_text(name)
    scheme = urlsplit(url).scheme
    if not url:
        return "memory://localhost//", "memory", {"polling_interval": 0.1}  # seconds between two looks at the queues
    if scheme in ("redis", "rediss"):
        return url, "epitome.site.redis_transport:RedisTransport", {**REDIS_OPTIONS}
    raise BadSetting(f"{name} starts with {scheme or url[:20]!r}; use redis://HOST:PORT/0, or leave it empty")
