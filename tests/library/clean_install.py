"""`make test-wheel`: install the wheel with its declared dependencies into a clean environment, and try it there.

Needs the package index that pip is configured for (about 100 MB of wheels for the base, as much again for the web).
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from tests.guards.checkout import ROOT
from tests.library.building import build_distributions, clean_environment, fetch_first_page, run_installed

LARGEST = 400
"""Megabytes that the base install may take."""
IMPORTS = (
    "import sys, epitome.metrics, epitome.agreement, epitome.client, epitome.combined, epitome.measures; "
    "import epitome.sampling; "
    "print(*sorted(sys.modules))"
)
NOT_LOADED = {"spacy", "scipy", "pandas", "django", "celery"}


def count_megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def install(python: Path, requirement: str) -> None:
    """Install from the configured index."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement]
    subprocess.run(command, check=True, env=clean_environment())


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _sdist, wheel = build_distributions(folder)
        venv.create(folder / "environment", with_pip=True)
        python = folder / "environment" / "bin" / "python"
        (packages,) = python.parents[1].glob("lib/python3*/site-packages")
        empty = count_megabytes(packages)
        install(python, str(wheel))
        megabytes = count_megabytes(packages) - empty
        print(f"base install: {megabytes:.0f} MB, {len(list(packages.glob('*.dist-info')))} distributions")
        assert megabytes < LARGEST
        loaded = run_installed(python, "-c", IMPORTS, cwd=folder).stdout.split()
        assert "epitome.metrics" in loaded and not NOT_LOADED & set(loaded)
        snippets = [str(ROOT / "tests/library/snippets.py"), str(ROOT / "docs/library.md")]
        installed = run_installed(python, *snippets, cwd=folder)
        print(installed.stdout + installed.stderr, end="")
        assert installed.returncode == 0
        refused = run_installed(python, "epitome", "demo", cwd=folder)
        assert refused.returncode == 1 and "pip install 'epitome[web]'" in refused.stderr
        install(python, f"{wheel}[web]")
        print(f"with the web: {count_megabytes(packages) - empty:.0f} MB")
        assert "csrfmiddlewaretoken" in fetch_first_page(python, folder)
        print("epitome demo answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
