"""The rooms of the library work where Django is not installed."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = sorted(init.parent.name for init in (ROOT / "epitome").glob("*/__init__.py"))
ROOMS = [*(f"epitome.{name}" for name in FOLDERS if name not in ("site", "systems")), "epitome.systems.neural"]
IMPORT_ALL = """
import importlib, pkgutil, sys
for name in ("django", "rest_framework", "celery"):
    sys.modules[name] = None  # an import of it raises ModuleNotFoundError
room = importlib.import_module(sys.argv[1])
names = [module.name for module in pkgutil.walk_packages(room.__path__, room.__name__ + ".")]
for name in names:
    if "pipelines" not in name:
        importlib.import_module(name)
print(len(names))
"""


@pytest.mark.parametrize("room", ROOMS)
def test_every_module_of_a_room_imports_without_django(room):
    completed = subprocess.run([sys.executable, "-c", IMPORT_ALL, room], cwd=ROOT, capture_output=True, text=True)
    assert completed.returncode == 0, completed.stderr
    assert int(completed.stdout) > 0
