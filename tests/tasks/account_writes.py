"""The writes about the sign-in provider and an account's language, by name; see tests/tasks/all_writes.py."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.test import override_settings

from annotation.models import ApiToken
from annotation.services.accounts import first_passwords, languages, sign_in_links, sign_in_throttle
from annotation.services.accounts.api_tokens import create_token
from annotation.services.people import provider_accounts
from annotation.services.people.provider_accounts import ProviderPerson
from epitome.site.oidc import GroupRoles, OidcSettings

Work = Callable[[], Any]
PERSON = ProviderPerson(subject="1", groups=frozenset({"a", "b"}), name="nora", email="nora@example.org")


def _with_provider(work: Work, **changes: Any) -> Work:
    roles = {"annotator": frozenset({"a"}), "rater": frozenset({"b"})}
    group_roles = GroupRoles(site_admins=frozenset({"b"}), projects={"race": roles, "news": roles})
    values = {"client_id": "a", "client_secret": "b", "scopes": "openid", "groups_claim": "groups", "label": "x"}
    values |= {"creates_accounts": True, "links_by_email": True, "site_factor": False, **changes}
    oidc = OidcSettings(issuer="https://login.example.org", group_roles=group_roles, **values)

    def run() -> Any:
        with override_settings(EPITOME_OIDC=oidc):
            return work()

    return run


def account_made(world: Any) -> Work:
    return _with_provider(lambda: provider_accounts.enter_site(PERSON))


def account_linked_by_email(world: Any) -> Work:
    user = User.objects.create_user("nora", PERSON.email, "long-enough-for-anybody")
    first_passwords.require_change(user)
    create_token(user=user, name="t", scope=ApiToken.Scope.READ, days=3)
    return _with_provider(lambda: provider_accounts.enter_site(PERSON))


def roles_withdrawn(world: Any) -> Work:
    account_made(world)()
    User.objects.create_superuser("another-admin")
    return _with_provider(lambda: provider_accounts.enter_site(ProviderPerson(subject="1")))


def account_linked(world: Any) -> Work:
    user = User.objects.create_user("nora")
    return _with_provider(lambda: provider_accounts.link_account(user=user, subject="1"))


def identity_masked(world: Any) -> Work:
    user = account_made(world)()
    return lambda: provider_accounts.mask_identities(user)


def link_used(world: Any) -> Work:
    user = User.objects.create_user("nora")
    return lambda: sign_in_links.note_use(user)


def way_to_the_provider_counted(world: Any) -> Work:
    def count() -> None:
        with override_settings(EPITOME_SIGN_IN_TRIES=5):
            sign_in_throttle.begin_provider_try(address="192.0.2.7")

    return count


def language_chosen(world: Any) -> Work:
    return lambda: languages.choose_language(world.people["rater"], "de")


ACCOUNT_WRITES: dict[str, Callable[[Any], Work]] = {
    "account of the provider made": account_made,
    "account linked by its address": account_linked_by_email,
    "roles of groups withdrawn": roles_withdrawn,
    "account linked to the provider": account_linked,
    "identity masked": identity_masked,
    "sign-in link of the provider's site used": link_used,
    "way to the provider counted": way_to_the_provider_counted,
    "language chosen": language_chosen,
}
