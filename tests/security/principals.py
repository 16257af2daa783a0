"""Who knocks: every kind of caller, and as whom of the access tables each must be treated.

The tables themselves stand in tests/pages/access_table.py (PAGES) and tests/api/access_table.py (TABLE).
"""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from annotation.models import ApiToken, CrowdLink, Membership, Project, Role
from annotation.services.accounts import api_tokens, first_passwords
from annotation.services.people import crowd_links, invitations
from annotation.services.withdrawal import withdraw
from tests.tasks.factories import pass_gate

SESSION, TOKEN = "session", "token"


@dataclass(frozen=True)
class Principal:
    """`like`: the person of the access tables, "nobody" is not signed in. `owns`: objects named in paths are theirs.

    more: pages that are theirs beside those of the tables. must_change: their password, before anything else.
    """

    like: str
    owns: bool = True
    reads_only: bool = False
    more: frozenset[str] = frozenset()
    must_change: bool = False


PRINCIPALS = {
    "anonymous": Principal("nobody"),
    "inactive": Principal("nobody"),
    "annotator": Principal("annotator"),
    "unassigned annotator": Principal("annotator", owns=False),
    "annotator elsewhere": Principal("idle", owns=False),
    "researcher elsewhere": Principal("outsider", owns=False),
    "rater": Principal("rater"),
    "reviewer": Principal("reviewer"),
    "researcher": Principal("researcher"),
    "admin": Principal("admin"),
    "superuser": Principal("site"),
    "read-only token": Principal("admin", reads_only=True),
    "revoked token": Principal("nobody"),
    "expired token": Principal("nobody"),
    "demoted": Principal("rater", owns=False),
    "of no project": Principal("idle", owns=False),
    "crowd annotator": Principal("annotator", owns=False, more=frozenset({"completion"})),
    "crowd rater": Principal("rater", owns=False, more=frozenset({"completion"})),
    "invited": Principal("idle", owns=False),
    "withdrawn": Principal("nobody"),
    "first password": Principal("admin", must_change=True),
}
PEOPLE = {"superuser": "site", "of no project": "idle", "read-only token": "admin", "revoked token": "admin"}
BY_TOKEN_ONLY = {"read-only token", "revoked token", "expired token"}


def add_newcomers(project: Project, people: dict[str, User], elsewhere: Project) -> None:
    """Add the persons that the worlds of the other tests lack. "demoted" is a researcher still."""
    for name, place, role in (
        ("inactive", project, Role.ADMIN),
        ("unassigned annotator", project, Role.ANNOTATOR),
        ("annotator elsewhere", elsewhere, Role.ANNOTATOR),
        ("researcher elsewhere", elsewhere, Role.RESEARCHER),
        ("demoted", project, Role.RESEARCHER),
        ("withdrawn", project, Role.RESEARCHER),
        ("first password", project, Role.ADMIN),
    ):
        people[name] = User.objects.create(username=name.replace(" ", "-"))
        Membership.objects.create(project=place, user=people[name], role=role)
    first_passwords.require_change(people["first password"])
    people["invited"] = User.objects.create(username="invited")
    invitations.create_invitation(project=project, name="for one", roles=["reviewer"], by=people["admin"], max_uses=1)
    for role in (Role.ANNOTATOR, Role.RATER):
        people[f"crowd {role}"] = add_crowd_worker(project, people["admin"], role)
    pass_gate(project, people["unassigned annotator"], people["crowd annotator"])


def add_crowd_worker(project: Project, admin: User, role: Role) -> User:
    """Who came by a link. One for raters leads to an open round of its own, which the tables' project does not have:
    its row is made of the other one."""
    link_settings = crowd_links.LinkSettings(name=f"{role}s of the crowd", tasks=1, max_uses=9)
    link, _plain = crowd_links.make_link(project=project, by=admin, link_settings=link_settings)
    visit = crowd_links.Visit(external_id=f"5f1d2a77c0{role}", study="", session="")
    worker = crowd_links.enter_study(link=link, visit=visit)
    if role != Role.ANNOTATOR:
        CrowdLink.objects.filter(pk=link.pk).update(role=role)
        Membership.objects.filter(user=worker.user).update(role=role)
    return worker.user


def open_clients(people: dict[str, User], kind: str) -> dict[str, Client]:
    """One client per principal, signed in by session or token. Some have no session: they show their token to pages."""
    fields = {}
    for name in PRINCIPALS:
        if name == "anonymous":
            fields[name] = Client(raise_request_exception=False)
        elif kind == TOKEN or name in BY_TOKEN_ONLY:
            fields[name] = with_token(name, people)
        else:
            fields[name] = Client(raise_request_exception=False)
            fields[name].force_login(people[PEOPLE.get(name, name)])
    return fields


def with_token(name: str, people: dict[str, User]) -> Client:
    user = people[PEOPLE.get(name, name) if name != "expired token" else "admin"]
    scope = ApiToken.Scope.READ if name == "read-only token" else ApiToken.Scope.WRITE
    row, plain = api_tokens.create_token(user=user, name=name, scope=scope)
    now = timezone.now()
    changed = {"last_used_at": now}
    if name == "revoked token":
        changed["revoked_at"] = now
    if name == "expired token":
        changed["expires_at"] = now - timedelta(seconds=1)
    ApiToken.objects.filter(pk=row.pk).update(**changed)
    return Client(headers={"Authorization": f"Token {plain}"}, raise_request_exception=False)


def take_rights_away(people: dict[str, User], clients: dict[str, Client], project: Project, path: str) -> None:
    """While they are signed in one person is deactivated, one loses a role and one withdraws; all had got in before."""
    assert {clients[name].get(path).status_code for name in ("inactive", "demoted", "withdrawn")} == {200}
    User.objects.filter(pk=people["inactive"].pk).update(is_active=False)
    Membership.objects.filter(project=project, user=people["demoted"]).update(role=Role.RATER)
    scope = withdraw.WithdrawalScope(mask_name=True)
    asked = {"project": project, "person": people["withdrawn"], "asked": scope, "by": people["admin"]}
    withdraw.withdraw_person(**asked, expect=withdraw.preview_withdrawal(**asked).total)


def session_keys(clients: dict[str, Client]) -> dict[str, str]:
    """The session of each, so that a call that signs somebody out leaves the next one signed in."""
    name = settings.SESSION_COOKIE_NAME
    return {who: client.cookies[name].value for who, client in clients.items() if name in client.cookies}
