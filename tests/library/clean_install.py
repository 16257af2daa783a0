"""`make test-wheel`: install the wheel with its declared dependencies into a clean environment, and try it there.

Needs the package index that pip is configured for (about 60 MB of wheels for the base, as much again for the extra
language and for the web).
"""

import json
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

from tests.guards.checkout import ROOT
from tests.library.building import build_distributions, clean_environment, fetch_first_page, run_installed

LARGEST = 150
"""Megabytes on disk that the base install may take, beside the empty environment."""
IMPORTS = (
    "import sys, epitome.metrics, epitome.agreement, epitome.client, epitome.combined, epitome.measures; "
    "import epitome.sampling; "
    "print(*sorted(sys.modules))"
)
NOT_LOADED = {"spacy", "scipy", "pandas", "django", "celery"}
TABLE = "text,summary\nThe council met on Monday. It raised the budget.,The budget rises.\n"


def count_megabytes(folder: Path) -> float:
    """What `du -sm` counts: the blocks that the files take on disk."""
    return sum(file.lstat().st_blocks for file in (folder, *folder.rglob("*"))) * 512 / 2**20


def install(python: Path, requirement: str) -> None:
    """Install from the configured index."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement]
    subprocess.run(command, check=True, env=clean_environment())


def try_base(python: Path, folder: Path) -> None:
    """A plain table is measured without spaCy, and what needs an extra names it."""
    (folder / "plain.csv").write_text(TABLE, encoding="utf-8")
    measured = run_installed(python, "epitome", "measure", "plain.csv", "--json", cwd=folder)
    numbers = json.loads(measured.stdout)
    assert set(numbers["f"]) == {"length", "extractiveness", "readability"}
    assert numbers["undefined"]["specificity"].endswith("pip install 'epitome[language]'")
    with zipfile.ZipFile(folder / "sheet.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    sheet = run_installed(python, "epitome", "measure", "sheet.xlsx", cwd=folder)
    assert sheet.returncode == 1 and "pip install 'epitome[office]'" in sheet.stderr


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _sdist, wheel = build_distributions(folder)
        venv.create(folder / "environment", with_pip=True)
        python = folder / "environment" / "bin" / "python"
        environment = python.parents[1]
        (packages,) = environment.glob("lib/python3*/site-packages")
        empty = count_megabytes(environment)
        install(python, str(wheel))
        megabytes = count_megabytes(environment) - empty
        n = len(list(packages.glob("*.dist-info")))
        print(f"base install: {megabytes:.0f} MB beside {empty:.0f} of the empty environment, {n} distributions")
        assert megabytes <= LARGEST
        loaded = run_installed(python, "-c", IMPORTS, cwd=folder).stdout.split()
        assert "epitome.metrics" in loaded and not NOT_LOADED & set(loaded)
        try_base(python, folder)
        install(python, f"{wheel}[language]")
        print(f"with the extra language: {count_megabytes(environment) - empty:.0f} MB")
        snippets = [str(ROOT / "tests/library/snippets.py"), str(ROOT / "docs/library.md")]
        installed = run_installed(python, *snippets, cwd=folder)
        print(installed.stdout + installed.stderr, end="")
        assert installed.returncode == 0
        refused = run_installed(python, "epitome", "demo", cwd=folder)
        assert refused.returncode == 1 and "pip install 'epitome[web]'" in refused.stderr
        install(python, f"{wheel}[web]")
        print(f"with the web: {count_megabytes(environment) - empty:.0f} MB")
        assert "csrfmiddlewaretoken" in fetch_first_page(python, folder)
        print("epitome demo answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
