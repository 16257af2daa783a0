"""What a site is made of is listed with licences and known advisories, and no part of it is under the GPL."""

import json
import zipfile
from importlib.metadata import version

import pytest
from django.core.management import CommandError, call_command

from epitome.site.dependencies import is_gpl, list_dependencies, read_locked_versions


def advisory(number, *, versions=(), events=(), package="Django", **others):
    affected = {"package": {"ecosystem": "PyPI", "name": package}, "versions": list(versions)}
    affected["ranges"] = [{"type": "ECOSYSTEM", "events": list(events)}]
    return {"id": f"PYSEC-0000-{number}", "affected": [affected], **others}


def list_json(capsys, *words):
    call_command("list_dependencies", "--json", *words)
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)["packages"]}


@pytest.mark.parametrize("extras", [(), ("web",), ("web", "oidc", "models", "local", "hub")])
def test_nothing_that_is_installed_by_default_is_under_the_gpl(extras):
    dependencies = list_dependencies(extras)
    assert {"numpy", "orjson"} <= {found.name for found in dependencies}
    assert [(found.name, found.licence) for found in dependencies if is_gpl(found.licence)] == []
    assert [found.name for found in dependencies if found.licence == "not stated"] == []


def test_what_is_installed_is_what_the_lock_names():
    changed = {found.name: (found.locked, found.version) for found in list_dependencies() if found.is_changed}
    assert changed == {}, "installed in another version than requirements/ names"
    assert sum(bool(found.locked) for found in list_dependencies()) > 20


@pytest.mark.parametrize(
    ("licence", "gpl"),
    [
        ("GPL-3.0-only", True),
        ("AGPL-3.0", True),
        ("GNU General Public License v3 (GPLv3)", True),
        ("LGPL-3.0-only", False),
        ("GNU Lesser General Public License v3 (LGPLv3)", False),
        ("Mozilla Public License 2.0 (MPL 2.0)", False),
    ],
)
def test_the_lesser_licence_is_not_the_other(licence, gpl):
    assert is_gpl(licence) is gpl


def test_versions_licences_and_the_lock_are_told(capsys):
    rows = list_json(capsys)
    assert rows["django"]["version"] == version("Django") and rows["django"]["licence"] == "BSD-3-Clause"
    assert "torch" not in rows, "an extra that was not asked for"
    call_command("list_dependencies")
    assert f"django {' ' * 26}{version('Django')}"[:34] in capsys.readouterr().out


def test_a_lock_is_read_by_normalized_names(tmp_path):
    (tmp_path / "web.txt").write_text("Django_OTP==1.5.4 \\\n    --hash=sha256:00\n# via web\ntorch==2.13.0\n")
    assert read_locked_versions(tmp_path) == {"django-otp": "1.5.4", "torch": "2.13.0"}


@pytest.mark.parametrize("form", ["list", "lines", "zip"])
def test_advisories_of_the_installed_versions_are_named(tmp_path, capsys, form):
    installed = version("Django")
    records = [
        advisory(1, versions=[installed]),
        advisory(
            2, events=[{"introduced": "0"}, {"fixed": "1.2"}, {"introduced": "5.0"}, {"last_affected": installed}]
        ),
        advisory(3, events=[{"introduced": "0"}, {"fixed": installed}]),
        advisory(4, versions=["0.1"]),
        advisory(5, versions=[installed], withdrawn="2026-01-01T00:00:00Z"),
        advisory(6, versions=["1"], package="not-installed"),
    ]
    path = tmp_path / "advisories"
    if form == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for record in records:
                archive.writestr(f"{record['id']}.json", json.dumps(record))
    else:
        path.write_text(json.dumps(records) if form == "list" else "\n".join(map(json.dumps, records)))
    with pytest.raises(CommandError, match="advisories are known for django"):
        call_command("list_dependencies", "--json", "--advisories", str(path))
    rows = {row["name"]: row["advisories"] for row in json.loads(capsys.readouterr().out)["packages"]}
    assert rows.pop("django") == ["PYSEC-0000-1", "PYSEC-0000-2"]
    assert not any(rows.values())


@pytest.mark.parametrize(("content", "said"), [("no", "is not JSON"), ('[{"name": "a"}]', "record 1 has no id")])
def test_another_kind_of_file_is_refused(tmp_path, content, said):
    path = tmp_path / "advisories.json"
    path.write_text(content)
    with pytest.raises(CommandError, match=said):
        call_command("list_dependencies", "--advisories", str(path))
