"""What the command `start` needs from the environment, checked before Django: all that is missing, at once."""

import secrets
from collections.abc import Mapping
from typing import NamedTuple

LEAST_KEY = 32
"""Characters of the secret key, as epitome/site/environment.py demands."""
OFF = ("0", "false", "no", "off")


class MissingSetting(NamedTuple):
    """line: an example, ready for a file of settings."""

    line: str
    reason: str


def list_missing_settings(environ: Mapping[str, str]) -> list[MissingSetting]:
    """The settings without which production does not start, in the order of docs/operations.md."""

    def read(name: str) -> str:
        return environ.get(name, "").strip()

    missing = []
    if read("EPITOME_ENV") != "production":
        missing.append(MissingSetting("EPITOME_ENV=production", "a site for others, not a try-out"))
    if len(read("EPITOME_SECRET_KEY")) < LEAST_KEY:
        key = secrets.token_urlsafe(50)
        missing.append(MissingSetting(f"EPITOME_SECRET_KEY={key}", "signs sessions; made for you just now"))
    if not read("EPITOME_HOSTS"):
        missing.append(MissingSetting("EPITOME_HOSTS=epitome.example.org", "the names of the site, by commas"))
    if not read("DATABASE_URL"):
        reason = "or, for a small team, an SQLite file on this machine: sqlite:////FOLDER/epitome.sqlite3"
        missing.append(MissingSetting("DATABASE_URL=postgresql://USER:PASSWORD@HOST/NAME", reason))
    sends_mail = read("EPITOME_EMAIL_HOST") or read("EPITOME_EMAIL_BACKEND")
    needs_mail = not any(read(name).lower() in OFF for name in ("EPITOME_PASSWORD_RESETS", "EPITOME_PASSWORD_SIGN_IN"))
    if needs_mail and not sends_mail:
        reason = "no links for new passwords by mail; or name a mail server with EPITOME_EMAIL_HOST"
        missing.append(MissingSetting("EPITOME_PASSWORD_RESETS=0", reason))
    return missing


def describe_missing_settings(missing: list[MissingSetting]) -> str:
    """One line per setting with what it is for, ready to be copied into a file."""
    lines = [f"# {setting.reason}\n{setting.line}" for setting in missing]
    head = (
        "# Not set. Put them into the environment, or with a checkout into the file site.env, which `make start` reads:"
    )
    return "\n".join([head, *lines, ""])


def name_settings(missing: list[MissingSetting]) -> list[str]:
    return [setting.line.partition("=")[0] for setting in missing]
