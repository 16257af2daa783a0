"""Accounts and roles of people who come from a provider: found by subject, linked by rule, roles by groups."""

import io
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connections
from django.test import Client

from annotation.models import ApiToken, AuditEvent, GroupRole, Membership, ProviderIdentity, Role
from annotation.services.accounts import first_passwords
from annotation.services.accounts.api_tokens import create_token
from annotation.services.people import invitations, members, provider_accounts
from annotation.services.people.provider_accounts import NotLetIn, ProviderPerson, enter_site
from annotation.services.withdrawal import withdraw
from annotation.views.accounts.provider_client import SignInFailed, describe_person
from epitome.site.oidc import ROLES, GroupRoles, OidcSettings
from tests.people.conftest import signed_in
from tests.people.factories import PASSWORD
from tests.tasks.factories import make_people, make_project

ISSUER, SUBJECT = "https://login.example.org", "248289761001"
GROUPS = GroupRoles(
    site_admins=frozenset({"it"}),
    projects={
        "news": {"annotator": frozenset({"students", "staff"}), "admin": frozenset({"heads"})},
        "gone": {"rater": frozenset({"students"})},
    },
)


@pytest.fixture
def provider_settings(settings):
    """provider_settings(...) sets what the operator decides; no provider is asked in these tests."""

    def configure(group_roles: GroupRoles = GROUPS, **changes) -> None:
        values = {"creates_accounts": True, "links_by_email": False, "site_factor": False, **changes}
        fields = {"client_id": "a", "client_secret": "b", "scopes": "openid", "groups_claim": "groups"}
        settings.EPITOME_OIDC = OidcSettings(
            issuer=ISSUER, label="Example University", group_roles=group_roles, **fields, **values
        )

    configure()
    return configure


@pytest.fixture
def project(db):
    project = make_project("news", documents=1)
    make_people(1, project, Role.ADMIN)
    return project


def enter(*groups: str, **changes) -> User:
    return enter_site(ProviderPerson(**{"subject": SUBJECT, "name": "ann", "groups": frozenset(groups), **changes}))


def roles_of(user: User) -> set[str]:
    return {f"{row.project.slug}:{row.role}" for row in Membership.objects.filter(user=user).select_related("project")}


def events_of(user: User) -> list[tuple[str, str, str]]:
    events = AuditEvent.objects.filter(target=f"user:{user.pk}", detail__origin="group").order_by("pk")
    return [(event.verb, event.detail.get("role", ""), event.detail["origin"]) for event in events]


def test_roles_are_those_of_the_site():
    assert set(Role.values) == set(ROLES)


def test_roles_come_and_go_with_groups_and_each_change_is_in_the_audit_log(provider_settings, project):
    user = enter("students")
    assert roles_of(user) == {"news:annotator"}
    enter("students", "heads")
    assert roles_of(user) == {"news:annotator", "news:admin"}
    enter("heads")
    enter("heads")
    assert roles_of(user) == {"news:admin"}
    enter()
    assert roles_of(user) == set()
    assert events_of(user) == [
        ("member.add", "annotator", "group"),
        ("member.add", "admin", "group"),
        ("member.remove", "annotator", "group"),
        ("member.remove", "admin", "group"),
    ]


def test_the_members_page_tells_roles_of_groups_from_others(provider_settings, project):
    enter("students")
    User.objects.create_superuser("root")
    client = signed_in(User.objects.get(username="root"))
    assert client.get("/p/news/members/").content.decode().count("from a group") == 1


def test_a_role_given_by_hand_stays(provider_settings, project):
    admin = User.objects.get(username="admin1")
    user = enter()
    members.add_member(project=project, username=user.username, role=Role.RATER, by=None)
    members.add_member(project=project, username=user.username, role=Role.ANNOTATOR, by=None)
    enter("students")
    enter()
    assert roles_of(user) == {"news:rater", "news:annotator"}

    other = enter("students", subject="other", name="bob")
    members.add_member(project=project, username=other.username, role=Role.ANNOTATOR, by=None)
    enter(subject="other")
    assert roles_of(other) == {"news:annotator"}, "given by hand after a group gave it"

    third = enter("students", subject="third", name="cyn")
    link, _plain = invitations.create_invitation(project=project, name="x", roles=[Role.ANNOTATOR], by=admin)
    invitations.accept_invitation(invitation=link, user=third)
    enter(subject="third")
    assert roles_of(third) == {"news:annotator"}, "joined by invitation after a group gave it"


def test_the_last_admin_keeps_the_role_until_there_is_another(provider_settings, project):
    user = enter("heads")
    Membership.objects.filter(project=project, role=Role.ADMIN).exclude(user=user).delete()
    enter()
    assert roles_of(user) == {"news:admin"}

    make_people(1, project, Role.ADMIN, start=2)
    enter()
    assert roles_of(user) == set()


def test_site_admins_by_group_come_and_go_and_the_last_one_stays(provider_settings, project):
    user = enter("it")
    assert user.is_superuser and user.is_staff
    assert enter().is_superuser, "nobody else is a site admin"
    User.objects.create_superuser("admin")
    assert not enter().is_superuser
    assert [verb for verb, *_more in events_of(user)] == ["site_admin.add", "site_admin.remove"]

    by_hand = enter(subject="other", name="bob")
    User.objects.filter(pk=by_hand.pk).update(is_superuser=True)
    enter("it", subject="other")
    assert enter(subject="other").is_superuser


def test_a_group_that_may_not_use_the_site_gets_no_account_and_loses_its_roles(provider_settings, project):
    provider_settings(GroupRoles(allowed_groups=frozenset({"students"}), projects=GROUPS.projects))
    with pytest.raises(NotLetIn, match="in no group that may use this site"):
        enter("guests")
    assert not ProviderIdentity.objects.exists()
    user = enter("students")
    with pytest.raises(NotLetIn):
        enter("guests")
    assert roles_of(user) == set()


def test_without_new_accounts_only_linked_people_come_in(provider_settings, project):
    provider_settings(creates_accounts=False)
    with pytest.raises(NotLetIn, match="You have no account on this site yet"):
        enter()
    user = User.objects.create_user("rater1", password=PASSWORD)
    out = io.StringIO()
    call_command("link_account", "rater1", SUBJECT, stdout=out)
    assert enter() == user and "rater1 signs in at the provider" in out.getvalue()
    user.refresh_from_db()
    assert user.check_password(PASSWORD), "who links by hand leaves the password"
    with pytest.raises(CommandError, match="linked already"):
        call_command("link_account", "rater1", "another")
    with pytest.raises(CommandError, match="Another account is linked"):
        call_command("link_account", "admin1", SUBJECT)


def test_an_address_links_nothing_unless_the_operator_and_the_provider_vouch_for_it(provider_settings, project):
    owner = User.objects.create_user("rater1", "rater1@example.org", PASSWORD)
    assert enter(email="rater1@example.org") != owner

    provider_settings(links_by_email=True)
    assert enter(subject="unverified", email="") != owner
    _row, token = create_token(user=owner, name="t", scope=ApiToken.Scope.READ, days=3)
    User.objects.filter(email="rater1@example.org").exclude(pk=owner.pk).update(email="")
    old = signed_in(owner)
    assert enter(subject="verified", email="Rater1@Example.org") == owner
    owner.refresh_from_db()
    assert not owner.has_usable_password()
    assert old.get("/tokens/").status_code == 302, "sessions of the password are over"
    answer = Client().get("/api/v1/projects/", headers={"Authorization": f"Token {token}"})
    assert answer.status_code == 401 and not ApiToken.objects.filter(revoked_at=None).exists()


def test_an_address_links_no_site_admin_nobody_twice_and_none_of_two(provider_settings, project):
    provider_settings(links_by_email=True)
    admin = User.objects.create_superuser("root", "root@example.org")
    twins = [User.objects.create_user(name, "twin@example.org") for name in ("twin1", "twin2")]
    linked = enter(subject="first", name="cyn", email="cyn@example.org")
    assert enter(subject="a", email="root@example.org") != admin
    assert enter(subject="b", email="twin@example.org") not in twins
    assert enter(subject="c", email="cyn@example.org") != linked


def test_a_first_password_is_void_once_its_owner_comes_by_the_provider(provider_settings, project):
    user = User.objects.create_user("rater1", password=PASSWORD)
    first_passwords.require_change(user)
    provider_accounts.link_account(user=user, subject=SUBJECT)
    entered = enter()
    assert not entered.has_usable_password() and not first_passwords.must_change(user)


def test_whose_name_was_withdrawn_stays_out_and_is_kept_as_a_digest(provider_settings, project):
    user = enter("students")
    by = User.objects.create_superuser("root")
    withdrawal_scope = withdraw.WithdrawalScope(mask_name=True)
    fields = {"project": project, "person": user, "asked": withdrawal_scope, "by": by}
    withdraw.withdraw_person(expect=withdraw.preview_withdrawal(**fields).total, **fields)
    assert ProviderIdentity.objects.get().subject.startswith("masked:")
    with pytest.raises(NotLetIn, match="This account is closed"):
        enter("students")
    assert User.objects.filter(username="ann").count() == 0 and ProviderIdentity.objects.count() == 1


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_first_sign_ins_at_once_make_one_account_with_each_role_once(provider_settings):
    make_project("news", documents=1)
    start = threading.Barrier(6)

    def come(_number: int) -> int:
        try:
            start.wait(30)
            return enter("students", "heads").pk
        finally:
            connections.close_all()

    connections.close_all()
    with ThreadPoolExecutor(6) as pool:
        values = set(pool.map(come, range(6)))

    assert values == {User.objects.get().pk}
    assert ProviderIdentity.objects.count() == 1 and GroupRole.objects.count() == 2
    assert AuditEvent.objects.filter(verb="person.create").count() == 1
    assert AuditEvent.objects.filter(verb="member.add").count() == 2


@pytest.mark.parametrize(
    ("claims", "name", "groups"),
    [
        ({"groups": ["a", 7, "b"]}, "groups", {"a", "b"}),
        ({"groups": "a"}, "groups", {"a"}),
        ({"realm_access": {"roles": ["a"]}}, "realm_access.roles", {"a"}),
        ({"https://example.org/groups": ["a"]}, "https://example.org/groups", {"a"}),
        ({}, "groups", set()),
        ({"groups": []}, "groups", set()),
    ],
)
def test_groups_are_read_by_name_or_path(claims, name, groups):
    assert describe_person({"sub": "1", **claims}, name).groups == groups


@pytest.mark.parametrize("groups", [7, {"a": 1}, ["a"] * 10_001])
def test_groups_of_another_form_are_refused(groups):
    with pytest.raises(SignInFailed, match="could not be verified"):
        describe_person({"sub": "1", "groups": groups}, "groups")


def test_groups_that_the_provider_left_out_for_their_number_change_no_role():
    with pytest.raises(SignInFailed, match="in more groups than your provider sends"):
        describe_person({"sub": "1", "_claim_names": {"groups": "src1"}}, "groups")


@pytest.mark.parametrize("verified", [False, "true", None])
def test_an_address_counts_only_if_the_provider_says_that_it_verified_it(verified):
    claims = {"sub": "1", "email": "a@example.org", "email_verified": verified}
    assert describe_person(claims, "groups").email == ""
    assert describe_person({**claims, "email_verified": True}, "groups").email == "a@example.org"


def test_groups_of_userinfo_count_and_only_of_the_same_person(provider, settings, sign_in, project):
    settings.EPITOME_OIDC = provider.build_settings(GROUPS)
    provider.userinfo = {"groups": ["students"]}
    sign_in()
    assert roles_of(ProviderIdentity.objects.get().user) == {"news:annotator"}
    provider.userinfo = {"groups": ["students", "heads"], "sub": "somebody-else"}
    assert sign_in()[1].status_code == 403
    assert roles_of(ProviderIdentity.objects.get().user) == {"news:annotator"}
