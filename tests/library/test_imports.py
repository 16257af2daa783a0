"""What an import of the library loads, and where its public functions are found."""

import json
import subprocess
import sys
import tomllib

import pytest

from tests.guards.checkout import ROOT

LIST_MODULES = "import sys, json; {code}; print(json.dumps(sorted(sys.modules)))"
WEB = {"django", "celery", "rest_framework", "kombu"}
HEAVY = {"spacy", "scipy", "pandas", "nltk", "torch", "sklearn", "pyarrow", "tqdm", "rouge_score_rs"}


def modules_after(code: str) -> set[str]:
    completed = subprocess.run(
        [sys.executable, "-c", LIST_MODULES.format(code=code)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(json.loads(completed.stdout))


def test_import_epitome_loads_nothing():
    modules = modules_after("import epitome")
    assert not (WEB | HEAVY | {"numpy"}) & modules


@pytest.mark.parametrize("name", ["metrics", "agreement", "client", "combined", "measures", "sampling", "cli.main"])
def test_the_library_loads_neither_web_nor_heavy_libraries(name):
    modules = modules_after(f"import epitome.{name}")
    assert f"epitome.{name}" in modules
    assert not (WEB | HEAVY) & modules


def test_public_modules_are_attributes():
    assert "epitome.metrics" in modules_after("import epitome; epitome.metrics.rouge; epitome.agreement.agreement")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        import epitome

        epitome.nothing


def test_the_citation_names_the_version_of_the_distribution():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_public_functions_are_found_whatever_modules_were_imported_before():
    code = (
        "import epitome.metrics.rouge_scores, epitome.metrics.contrastive_scores, epitome.combined.planner; "
        "from epitome.metrics import cc, ccsbench, cer, contrastive, macsum, macsum_file, rank, rouge; "
        "from epitome.agreement import agreement; from epitome.combined import estimate, plan; "
        "from epitome.measures import measure; from epitome.sampling import plan_samples; "
        "assert all(map(callable, (cc, ccsbench, cer, contrastive, macsum, macsum_file, rank, rouge, agreement))); "
        "assert all(map(callable, (estimate, plan, measure, plan_samples)))"
    )
    assert "epitome.metrics.public.macsum" in modules_after(code)


def test_no_public_name_is_that_of_a_module():
    import importlib

    for room in ("agreement", "combined", "measures", "metrics", "sampling"):
        package = importlib.import_module(f"epitome.{room}")
        modules = {path.stem for path in (ROOT / "epitome" / room).glob("*.py")}
        assert not modules & set(package.__all__), room
