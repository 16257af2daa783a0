"""The rooms that hold the science work where Django is not installed."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = (
    *("annotation.schema", "annotation.measures", "annotation.text", "annotation.sampling", "annotation.formats"),
    *("annotation.aggregations", "annotation.candidates", "annotation.contrastives", "annotation.figures"),
    *("evaluation.metrics", "evaluation.agreement", "evaluation.combined", "evaluation.reproduction"),
    *("modelbridge.prompts", "modelbridge.systems.neural", "modelbridge.training", "evaluation.rounds"),
)
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
def test_every_module_of_a_pure_room_imports_without_django(room):
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL, room], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0
