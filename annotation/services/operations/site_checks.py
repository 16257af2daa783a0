"""What a site needs beside its web process: each check with its state and what to do. Names no path or secret."""

import os
import shutil
import socket
import tempfile
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.http.request import validate_host
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.jobs import count_workers
from annotation.models import Project
from annotation.services.core.word_patterns import join_names
from annotation.services.operations.readiness import check_migrations
from epitome.figures.numbers import format_decimal
from epitome.site.oidc import OidcSettings

LEAST_FREE_BYTES = 2**30
MAIL_SECONDS = 2.0
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})


class SiteCheck(NamedTuple):
    """text: what was seen. remedy: what to do, "" where nothing is. command: what to type or set for it, or ""."""

    name: str
    is_ready: bool
    text: str
    remedy: str = ""
    command: str = ""


class RequestFacts(NamedTuple):
    """How the page was requested. forwarded_scheme: what a proxy says of the visitor's connection, or ""."""

    host: str
    is_secure: bool
    forwarded_scheme: str


def check_site(facts: RequestFacts) -> list[SiteCheck]:
    """Every check, in the order in which a new site is put right. Takes up to 2 seconds where mail does not answer."""
    database = check_database()
    workers = [check_workers()] if database.is_ready else []
    oidc: OidcSettings | None = settings.EPITOME_OIDC
    provider = [check_provider(oidc)] if oidc is not None and database.is_ready else []
    return [database, *workers, check_storage(), check_addresses(facts), check_mail(), *provider]


def check_database() -> SiteCheck:
    name = _("Database")
    try:
        engine = _describe_engine()
        if not check_migrations():
            remedy = _("Apply the migrations, then restart the site.")
            return SiteCheck(
                name, False, _("%(engine)s: tables are missing") % {"engine": engine}, remedy, "manage.py migrate"
            )
        n_migrations = len(MigrationRecorder(connection).applied_migrations())
    except (DatabaseError, InterfaceError):
        connection.close()
        return SiteCheck(name, False, _("Not responding"), _("Start it, or check its address."), "DATABASE_URL")
    text = ngettext("%(engine)s, %(n)d migration applied", "%(engine)s, %(n)d migrations applied", n_migrations)
    return SiteCheck(name, True, text % {"engine": engine, "n": n_migrations})


def _describe_engine() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT sqlite_version()" if connection.vendor == "sqlite" else "SHOW server_version")
        version = str(cursor.fetchone()[0]).split()[0]
    return f"SQLite {version}" if connection.vendor == "sqlite" else f"PostgreSQL {version}"


def check_workers() -> SiteCheck:
    """By heartbeats (annotation/jobs/heartbeats.py)."""
    counts = count_workers()
    if not counts:
        remedy = _("Imports, exports and runs wait for a worker. The command start runs one next to the web server.")
        return SiteCheck(_("Worker"), False, _("No worker is running"), remedy, "manage.py worker")
    text = _("Running; queues: %(queues)s") % {"queues": join_names(sorted(counts))}
    return SiteCheck(_("Worker"), True, text)


def check_storage() -> SiteCheck:
    name, folder = _("Storage"), Path(settings.DATA_DIR)
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".check-") as file:
            file.write(b"check")
            file.flush()
            os.fsync(file.fileno())
        free_bytes = shutil.disk_usage(folder).free
    except OSError as error:
        text = _("The data folder is not writable: %(why)s") % {"why": error.strerror or error}
        remedy = _("Give the site's user write permission, or set another folder.")
        return SiteCheck(name, False, text, remedy, "EPITOME_DATA_DIR")
    text = _("The data folder is writable; %(n)s GB free") % {"n": format_decimal(free_bytes / 2**30, 1)}
    if free_bytes < LEAST_FREE_BYTES:
        return SiteCheck(name, False, text, _("Free some space: below 1 GB, imports and exports may fail."))
    return SiteCheck(name, True, text)


def check_addresses(facts: RequestFacts) -> SiteCheck:
    """Hosts, the scheme that a proxy reports, and origins whose forms are accepted."""
    name, hosts = _("Address"), join_names(settings.ALLOWED_HOSTS) or "–"
    if facts.forwarded_scheme == "https" and not facts.is_secure:
        text = _("A proxy serves HTTPS, but the site takes requests for HTTP; forms may be refused")
        remedy = _("Configure the site to run behind a proxy, and restart it.")
        return SiteCheck(name, False, text, remedy, "EPITOME_BEHIND_PROXY=1")
    origins = [str(origin) for origin in settings.CSRF_TRUSTED_ORIGINS]
    if wrong_origins := [origin for origin in origins if not _is_served(origin)]:
        text = _("No host of the site has the origin %(list)s") % {"list": join_names(wrong_origins)}
        remedy = _("Write origins as https://HOST, and name each host in EPITOME_HOSTS too.")
        return SiteCheck(name, False, text, remedy, "EPITOME_ORIGINS")
    if set(settings.ALLOWED_HOSTS) <= LOCAL_HOSTS or (facts.host.rpartition(":")[0] or facts.host) in LOCAL_HOSTS:
        return SiteCheck(name, True, _("Opened on this machine. Hosts: %(hosts)s") % {"hosts": hosts})
    if settings.PRODUCTION and not facts.is_secure:
        text = _("This page was loaded without HTTPS, so browsers keep no session")
        remedy = _("Put a proxy with a certificate before the site (docs/operations.md).")
        return SiteCheck(name, False, text, remedy)
    text = _("Hosts: %(hosts)s") % {"hosts": hosts}
    return SiteCheck(name, True, text + (f"; {join_names(origins)}" if origins else ""))


def _is_served(origin: str) -> bool:
    url_parts = urlsplit(origin)
    host = (url_parts.hostname or "").removeprefix("*")
    return bool(url_parts.scheme and host) and validate_host(host, [*settings.ALLOWED_HOSTS])


def check_mail() -> SiteCheck:
    """Whether mail leaves this machine, where password resets need it."""
    name = _("Mail")
    remedy = _("Set a mail server, or turn off password resets by email.")
    commands = "EPITOME_EMAIL_HOST, EPITOME_PASSWORD_RESETS=0"
    if not settings.EPITOME_PASSWORD_RESETS:
        return SiteCheck(name, True, _("Not needed: password resets by email are turned off"))
    backend = str(settings.EMAIL_BACKEND)
    if backend.startswith("django.core.mail.backends.") and ".smtp." not in backend:
        return SiteCheck(
            name, False, _("No email is sent: links for new passwords are written to the log"), remedy, commands
        )
    if ".smtp." not in backend:
        return SiteCheck(name, True, _("Sent by %(backend)s") % {"backend": backend})
    try:
        with socket.create_connection((settings.EMAIL_HOST, settings.EMAIL_PORT), timeout=MAIL_SECONDS):
            return SiteCheck(name, True, _("The mail server is responding"))
    except OSError as error:
        text = _("The mail server is not responding: %(why)s") % {"why": error.strerror or type(error).__name__}
        return SiteCheck(name, False, text, remedy, commands)


def check_provider(oidc: OidcSettings) -> SiteCheck:
    """Whether the projects exist in which the groups of the sign-in provider give roles. The provider is not asked."""
    name, slugs = _("Sign-in provider"), set(oidc.group_roles.projects)
    existing = Project.objects.filter(slug__in=slugs, pilot_of=None).values_list("slug", flat=True)
    if unknown := sorted(slugs - set(existing)):
        text = _("Groups give roles in projects that do not exist: %(list)s") % {"list": join_names(unknown)}
        remedy = _("Create them, or correct their short names in the file, and restart the site.")
        return SiteCheck(name, False, text, remedy, "EPITOME_OIDC_ROLES")
    text = ngettext(
        "%(label)s; groups give roles in %(n)d project", "%(label)s; groups give roles in %(n)d projects", len(slugs)
    )
    return SiteCheck(name, True, text % {"label": oidc.label, "n": len(slugs)})
