"""The wheel, installed where nothing of the checkout can be seen: the library, the command and the site from it.

What Epitome depends on is borrowed from the environment of the tests, so that nothing is downloaded; whether the
declared dependencies suffice is tried by `make test-wheel`, which needs a package index.
"""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.guards.checkout import ROOT, Checkout
from tests.library.building import build_distributions, clean_environment, fetch_first_page, run_installed

tried_with_its_dependencies = pytest.mark.skipif(
    not os.environ.get("EPITOME_TEST_FULL"), reason="make test-wheel tries this with the declared dependencies"
)


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    return build_distributions(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def python(distributions, tmp_path_factory) -> Path:
    """An environment with the wheel, and with the libraries of this one."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    (packages,) = folder.glob("lib/python3*/site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*command, str(distributions[1])], check=True, env=clean_environment())
    return python


def test_the_wheel_holds_every_page_static_file_and_migration(distributions):
    names = set(zipfile.ZipFile(distributions[1]).namelist())
    shown = r"(templates|static|docs)/|locale/.*\.mo$|\w+/migrations/"
    expected = [name for name in Checkout().names if re.match(shown, name)]
    assert len(expected) > 250
    missing = {f"epitome/apps/{name}" if "/migrations/" in name else f"epitome/{name}" for name in expected} - names
    assert missing == set()
    assert not [
        name
        for name in names
        if name.startswith(("tests/", "benchmarks/", "templates/", "static/", "docs/", "locale/"))
    ]


def test_the_sdist_holds_what_the_wheel_is_built_from(distributions):
    with tarfile.open(distributions[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "setup.py", "LICENSE", "README.md", "templates/base.html"} <= names


@tried_with_its_dependencies
def test_the_examples_of_the_documentation_run_from_the_wheel(python, tmp_path):
    installed = run_installed(
        python, str(ROOT / "tests/library/snippets.py"), str(ROOT / "docs/library.md"), cwd=tmp_path
    )
    assert (installed.returncode, installed.stderr) == (0, "")
    assert installed.stdout.count("ok: ") == 9


def test_the_library_comes_from_the_wheel_and_loads_no_web(python, tmp_path):
    code = (
        "import epitome.metrics, epitome.agreement, sys; print(epitome.__file__, {'django', 'celery'} & {*sys.modules})"
    )
    installed = run_installed(python, "-c", code, cwd=tmp_path)
    assert (
        installed.stdout.strip() == f"{next(python.parents[1].glob('lib/*/site-packages'))}/epitome/__init__.py set()"
    )


def test_the_command_tells_its_version_and_manages_the_site(python, tmp_path):
    assert run_installed(python, "epitome", "--version", cwd=tmp_path).stdout == "epitome 0.1.0\n"
    installed = run_installed(python, "epitome", "manage", "check", cwd=tmp_path, XDG_DATA_HOME=str(tmp_path))
    assert (installed.returncode, installed.stderr) == (0, "")
    assert (tmp_path / "epitome" / "secret_key").is_file()  # the data folder of an installation is the user's own


def test_the_wheel_adds_one_package_to_the_path(python, distributions, tmp_path):
    tops = {name.split("/")[0] for name in zipfile.ZipFile(distributions[1]).namelist()}
    assert {name for name in tops if not name.endswith(".dist-info")} == {"epitome"}
    code = (
        "import importlib.util, epitome.metrics;"
        "print([name for name in ('annotation', 'evaluation', 'modelbridge') if importlib.util.find_spec(name)])"
    )
    assert run_installed(python, "-c", code, cwd=tmp_path).stdout == "[]\n"


def test_a_foreign_package_with_the_name_of_an_app_does_no_harm(python, tmp_path):
    (tmp_path / "evaluation").mkdir()
    (tmp_path / "evaluation" / "__init__.py").write_text("raise SystemExit('the foreign one')")
    installed = run_installed(python, "-m", "epitome", "manage", "check", cwd=tmp_path, XDG_DATA_HOME=str(tmp_path))
    assert (installed.returncode, installed.stderr) == (0, "")


@tried_with_its_dependencies
def test_the_demo_of_an_installation_answers(python, tmp_path):
    page = fetch_first_page(python, tmp_path)
    assert 'name="csrfmiddlewaretoken"' in page
    style = re.search(r'href="(/static/[^"]+\.css)"', page)
    assert style
