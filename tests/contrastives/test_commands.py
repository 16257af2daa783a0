"""`make_contrastives` and `export --what contrastives`."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Contrastive
from tests.contrastives.factories import make_gold_project, store_contrastives

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_make_prints_counts_and_the_export_has_the_lines(tmp_path):
    project = make_gold_project()
    data = json.loads(run("make_contrastives", "news", "--seed", "3", "--per-gold", "8", "--json"))
    n = Contrastive.objects.filter(project=project, seed=3).count()
    assert data == {"golds": 3, "examples": n, "empty": 1, "all_golds": 3, "all_examples": n} and n > 8
    assert f"0 examples of 0 gold summaries added (0 give none); the project has {n} of 3" in run(
        "make_contrastives", "news", "--seed", "3", "--per-gold", "8"
    )
    run("export", "news", "--what", "contrastives", "--output", str(tmp_path / "c.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    assert len(lines) == n and {"tuple", "rule", "text", "edits"} <= lines[0].keys()
    again = json.loads(run("make_contrastives", "news", "--from", str(tmp_path / "c.jsonl"), "--replace", "--json"))
    assert again["examples"] == n


def test_a_dry_run_prints_the_quotas_and_filters():
    make_gold_project()
    text = run("make_contrastives", "news", "--dry-run", "--rules", "g-n,S-N")
    assert "3 gold summaries, 3 drawn, 3 without examples yet" in text
    assert "G-N" in text and "S-N" in text and "S-V" not in text and "same word" in text
    assert not Contrastive.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["make_contrastives", "none"], "there is no project"),
        (["make_contrastives", "news", "--rules", "Q"], "rules: 'Q' is no rule"),
        (["make_contrastives", "news", "--per-gold", "0"], "per_gold: Give a whole number"),
        (["make_contrastives", "news", "--from", "missing.jsonl"], "missing.jsonl: there is no such file"),
        (["make_contrastives", "news"], "replace: The project has contrastive examples already"),
        (["export", "news", "--what", "contrastives", "--output", "x", "--split", "keep"], "--split does not go with"),
        (["export", "bare", "--what", "contrastives", "--output", "x"], "no contrastive examples yet"),
    ],
)
def test_bad_input_is_one_line(arguments, why):
    store_contrastives(make_gold_project())
    make_gold_project("bare")
    with pytest.raises(CommandError, match=why):
        run(*arguments)
