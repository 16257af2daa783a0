"""The settings of the sign-in provider: what stops the start, with the place and the remedy."""

import importlib.util

import pytest

from epitome.site.environment import BadSetting
from epitome.site.oidc_settings import read_group_roles, read_oidc_settings
from tests.commands import run_manage

GIVEN = {
    "EPITOME_OIDC_ISSUER": "https://login.example.org/realms/lab",
    "EPITOME_OIDC_CLIENT_ID": "epitome",
    "EPITOME_OIDC_CLIENT_SECRET": "secret",
}


@pytest.fixture
def environ(monkeypatch):
    def set_values(**changes: str) -> None:
        for name, value in {**GIVEN, **changes}.items():
            monkeypatch.setenv(name, value)

    return set_values


def test_without_an_issuer_there_is_no_provider(monkeypatch):
    monkeypatch.delenv("EPITOME_OIDC_ISSUER", raising=False)
    assert read_oidc_settings(production=True) is None


def test_three_settings_are_enough(environ):
    environ()
    oidc = read_oidc_settings(production=True)
    assert (oidc.label, oidc.scopes, oidc.groups_claim) == ("login.example.org", "openid profile email", "groups")
    assert oidc.creates_accounts and not oidc.links_by_email and not oidc.site_factor
    assert "secret" not in repr(oidc)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"EPITOME_OIDC_ISSUER": "http://login.example.org"}, "is no issuer"),
        ({"EPITOME_OIDC_ISSUER": "login.example.org"}, "is no issuer"),
        ({"EPITOME_OIDC_ISSUER": "https://a.example/?x=1"}, "is no issuer"),
        ({"EPITOME_OIDC_CLIENT_ID": ""}, "EPITOME_OIDC_CLIENT_ID is missing"),
        ({"EPITOME_OIDC_CLIENT_SECRET": ""}, "EPITOME_OIDC_CLIENT_SECRET is missing"),
        ({"EPITOME_OIDC_SCOPES": "profile"}, "lacks openid"),
        ({"EPITOME_OIDC_SECOND_FACTOR": "none"}, "EPITOME_OIDC_SECOND_FACTOR='none' is unknown"),
        ({"EPITOME_OIDC_NEW_ACCOUNTS": "perhaps"}, "is not a switch"),
        ({"EPITOME_OIDC_ROLES": "/nowhere/roles.toml"}, "cannot be read: No such file"),
    ],
)
def test_a_bad_setting_stops_the_start(environ, changes, words):
    environ(**changes)
    with pytest.raises(BadSetting, match=words):
        read_oidc_settings(production=True)


def test_without_the_extra_the_setting_says_what_to_install(environ, monkeypatch):
    environ()
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "authlib" else find_spec(name))
    with pytest.raises(BadSetting, match=r"pip install 'epitome\[oidc\]'"):
        read_oidc_settings(production=True)


def test_without_the_setting_the_site_needs_no_authlib(tmp_path):
    code = "import sys; sys.modules['authlib'] = None; import django; django.setup()"
    code += "; from django.test import Client; assert Client().get('/sign-in/').status_code in (200, 302)"
    manage = run_manage(
        tmp_path, "shell", "--no-imports", "-c", code, EPITOME_HOSTS="testserver", EPITOME_SETUP_PAGE="0"
    )
    assert manage.returncode == 0, manage.stderr


def test_password_sign_in_is_not_switched_off_without_another_way_in(tmp_path):
    manage = run_manage(tmp_path, "check", EPITOME_PASSWORD_SIGN_IN="0")
    assert manage.returncode != 0 and "leaves no way in; set EPITOME_OIDC_ISSUER too" in manage.stderr
    manage = run_manage(tmp_path, "check", EPITOME_PASSWORD_SIGN_IN="false", **GIVEN)
    assert manage.returncode == 0, manage.stderr


def test_the_file_of_roles_is_read(tmp_path):
    file = tmp_path / "roles.toml"
    file.write_text(
        'allowed_groups = ["nlp"]\nsite_admins = ["it"]\n[projects.news]\nannotator = ["students", "CN=a,OU=b"]\n'
    )
    group_roles = read_group_roles(str(file))
    assert group_roles.is_allowed(frozenset({"nlp"})) and not group_roles.is_allowed(frozenset({"it"}))
    assert group_roles.list_roles(frozenset({"CN=a,OU=b"})) == {("news", "annotator")}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("projects = ", "is no TOML"),
        ("roles = 1", "roles is unknown; use allowed_groups, projects, site_admins"),
        ('site_admins = "it"', "site_admins is no list of groups"),
        ('site_admins = [""]', "site_admins is no list of groups"),
        ("projects = 1", "projects is no table"),
        ("[projects]\nnews = 1", "projects.news is no table"),
        ('[projects.news]\nwriter = ["a"]', "projects.news.writer is no role; use annotator"),
        ('[projects.news]\nrater = "a"', "projects.news.rater is no list of groups"),
    ],
)
def test_a_fault_in_the_file_of_roles_is_named_with_its_place(tmp_path, text, words):
    file = tmp_path / "roles.toml"
    file.write_text(text)
    with pytest.raises(BadSetting, match=words):
        read_group_roles(str(file))
