"""Reads the settings of the sign-in provider from the environment and the file of roles."""

import importlib.util
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from epitome.site import environment as env
from epitome.site.oidc import ROLES, GroupRoles, OidcSettings

SECOND_FACTORS = ("provider", "site")
_TOP_KEYS = {"allowed_groups", "site_admins", "projects"}


def read_oidc_settings(*, production: bool) -> OidcSettings | None:
    """None where EPITOME_OIDC_ISSUER is not set. Raises BadSetting."""
    issuer = env.read_text("EPITOME_OIDC_ISSUER")
    if not issuer:
        return None
    _check_issuer(issuer, production)
    if importlib.util.find_spec("authlib") is None:
        raise env.BadSetting(
            "EPITOME_OIDC_ISSUER is set, but the package Authlib is not installed; install the extra: pip install"
            " 'epitome[oidc]', or in a checkout: make install-oidc"
        )
    client_id, client_secret = env.read_text("EPITOME_OIDC_CLIENT_ID"), env.read_text("EPITOME_OIDC_CLIENT_SECRET")
    if not client_id or not client_secret:
        missing = "EPITOME_OIDC_CLIENT_SECRET" if client_id else "EPITOME_OIDC_CLIENT_ID"
        raise env.BadSetting(f"{missing} is missing; register the site at the provider and set what it names")
    scopes = env.read_text("EPITOME_OIDC_SCOPES") or "openid profile email"
    if "openid" not in scopes.split():
        raise env.BadSetting(f"EPITOME_OIDC_SCOPES={scopes!r} lacks openid; write such as openid profile email groups")
    factor = env.read_choice("EPITOME_OIDC_SECOND_FACTOR", "provider", SECOND_FACTORS)
    return OidcSettings(
        issuer=issuer,
        client_id=client_id,
        client_secret=client_secret,
        scopes=scopes,
        label=env.read_text("EPITOME_OIDC_LABEL") or (urlsplit(issuer).hostname or issuer),
        groups_claim=env.read_text("EPITOME_OIDC_GROUPS_CLAIM") or "groups",
        group_roles=read_group_roles(env.read_text("EPITOME_OIDC_ROLES")),
        creates_accounts=env.read_flag("EPITOME_OIDC_NEW_ACCOUNTS", True),
        links_by_email=env.read_flag("EPITOME_OIDC_LINK_BY_EMAIL", False),
        site_factor=factor == "site",
    )


def _check_issuer(issuer: str, production: bool) -> None:
    parts = urlsplit(issuer)
    schemes = ("https",) if production else ("https", "http")
    if parts.scheme not in schemes or not parts.hostname or parts.query or parts.fragment:
        raise env.BadSetting(
            f"EPITOME_OIDC_ISSUER={issuer!r} is no issuer; write the provider's address as its discovery document names"
            " it, such as https://login.example.org/realms/lab"
        )


def read_group_roles(path: str) -> GroupRoles:
    """The file of EPITOME_OIDC_ROLES; no path: groups give nothing. Raises BadSetting naming the place."""
    if not path:
        return GroupRoles()
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise env.BadSetting(f"EPITOME_OIDC_ROLES={path!r} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise env.BadSetting(f"EPITOME_OIDC_ROLES={path!r} is no TOML: {error}") from None
    if unknown := sorted(content.keys() - _TOP_KEYS):
        raise _fault(path, unknown[0], f"is unknown; use {', '.join(sorted(_TOP_KEYS))}")
    projects = content.get("projects", {})
    if not isinstance(projects, dict):
        raise _fault(path, "projects", "is no table; write [projects.SHORT-NAME]")
    return GroupRoles(
        allowed_groups=_read_groups(path, "allowed_groups", content.get("allowed_groups", [])),
        site_admins=_read_groups(path, "site_admins", content.get("site_admins", [])),
        projects={slug: _read_project(path, slug, table) for slug, table in projects.items()},
    )


def _read_project(path: str, slug: str, table: Any) -> dict[str, frozenset[str]]:
    if not isinstance(table, dict):
        raise _fault(path, f"projects.{slug}", 'is no table; write lines such as annotator = ["GROUP"] below it')
    if unknown := sorted(table.keys() - set(ROLES)):
        raise _fault(path, f"projects.{slug}.{unknown[0]}", f"is no role; use {', '.join(ROLES)}")
    return {role: _read_groups(path, f"projects.{slug}.{role}", groups) for role, groups in table.items()}


def _read_groups(path: str, place: str, value: Any) -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(group, str) and group for group in value):
        raise _fault(path, place, 'is no list of groups; write such as ["GROUP", "OTHER GROUP"]')
    return frozenset(value)


def _fault(path: str, place: str, fault: str) -> env.BadSetting:
    return env.BadSetting(f"EPITOME_OIDC_ROLES={path!r}: {place} {fault}")
