"""Each guard finds a fault that is planted for it, and is silent about the same place put right."""

import pytest

from tests.guards import GUARDS
from tests.guards.checkout import Checkout
from tests.guards.commits import describe_fault

LONG_FUNCTION = "def count_rows():\n" + "    pass\n" * 60
SERVICE = "annotation/services/tasks/claim.py"
VIEW = "annotation/views/tasks/task.py"
PAGE = "templates/annotation/tasks/work.html"
DOCUMENT = "docs/security.md"
CONTRACTS = '[[tool.importlinter.contracts]]\nname = "apps one way"\ntype = "layers"\nlayers = ["annotation"]\n'

# guard: (file, text with a fault, the same put right or "" where the file must go, what is said about the fault)
PLANTED = {
    "find_banned_text": (PAGE, "{{ text|safe }}", "{{ text }}", "work.html:1: unescaped output"),
    "find_vague_variables": (SERVICE, "found = 1", "rows = 1", "claim.py:1: found does not say"),
    "find_bare_verbs": (SERVICE, "def take(): pass", "def take_task(): pass", "claim.py:1: take()"),
    "find_one_word_functions": (SERVICE, "def claim(): pass", "def claim_task(): pass", "claim.py:1: claim()"),
    "find_renamed_modules": ("annotation/services/tasks/asking.py", "", None, "asking.py: this module was renamed"),
    "find_long_lines": (PAGE, f"<p>{'x' * 118}", f"<p>{'x' * 117}", "work.html:1: 121 characters"),
    "find_long_functions": (SERVICE, LONG_FUNCTION, LONG_FUNCTION[: -len("    pass\n")], "count_rows() has 61 lines"),
    "find_long_files": (SERVICE, "\n" * 401, "\n" * 400, "claim.py: 401 lines"),
    "find_ignored_attributes": (
        SERVICE,
        "row.n = 1  # type: ignore[attr-defined]\n" * 6,
        "row.n = 1  # type: ignore[attr-defined]\n" * 5,
        "claim.py:6: type: ignore",
    ),
    "find_upward_imports": (
        SERVICE,
        "def f():\n    from ...views.tasks import task",
        "from ...models import Task",
        "claim.py:2: a service imports annotation.views.tasks.task",
    ),
    "find_kind_switches": (
        SERVICE,
        "is_topic = candidate.kind == Candidate.Kind.TOPIC",
        "is_topic = candidate.is_topic",
        "claim.py:1: candidate.kind compared with a name",
    ),
    "find_files_outside_features": (
        "annotation/views/lost/x.py",
        "",
        None,
        "lost is no feature of annotation",
    ),
    "find_missing_plurals": (
        PAGE,
        "{% blocktranslate %}{{ n }} open tasks{% endblocktranslate %}",
        "{% blocktranslate count n=n %}{{ n }} task{% plural %}{{ n }} tasks{% endblocktranslate %}",
        "work.html:1: '{{ n }} open tasks' has no plural",
    ),
    "find_one_are": (PAGE, "Sorry, 1 are late", "Sorry, 11 are late", "work.html:1: '1 are'"),
    "find_shown_keys": (
        PAGE,
        "<p>{{ job.state }}</p>",
        '<p data-state="{{ job.state }}"></p>',
        "work.html:1: {{ job.state }} shows a key",
    ),
    "find_unformatted_numbers": (
        PAGE,
        "{{ hours|floatformat:1 }}",
        "{{ hours|decimal:1 }}",
        "work.html:1: |floatformat instead of",
    ),
    "find_positional_rows": (
        PAGE,
        "{% for name, url, day,  state in rows %}",
        "{% for name, url, day in rows %}",
        "work.html:1: a loop unpacks 4 names",
    ),
    "find_prepared_definitions": (
        SERVICE,
        "CLAIM = PreparedInsert(Claim)\nOWN = Prepared(build_query)\n" * 15 + "FILL = PreparedUpdate(build_update)\n",
        "CLAIM = PreparedInsert(Claim)\nOWN = Prepared(build_query)\n" * 15,
        "claim.py:31: PreparedUpdate(...)",
    ),
    "find_missing_paths": (
        DOCUMENT,
        "`tests/security/test_gone.py`",
        f"`{SERVICE}`",
        "security.md:1: there is no tests/security/test_gone.py",
    ),
    "find_missing_constants": (
        DOCUMENT,
        "`TRIES` in `claim.py`",
        "`TRIES`, and `claim.py`",
        "security.md:1: claim.py does not define TRIES",
    ),
    "find_private_parts": (
        SERVICE,
        'rows._raw_delete("default")',
        "rows.delete()",
        "claim.py:1: _raw_delete is private",
    ),
}


ROUTES = {
    "evaluation/views/rounds/urls.py": 'path("rounds/", rounds, name="rounds")\npath("new/", new, name="round-new")',
    "modelbridge/views/runs/urls.py": 'path("runs/", show_runs, name="runs")',
}


def run_guard(root, name: str, files: dict[str, str]) -> list[str]:
    for file, text in files.items():
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    guard = next(guard for guard in GUARDS if guard.__name__ == name)
    return list(guard(Checkout(root, sorted(files))))


@pytest.mark.parametrize("name", sorted(PLANTED))
def test_a_planted_fault_is_found(tmp_path, name):
    file, fault, sound, message = PLANTED[name]
    around = {SERVICE: "", VIEW: "", PAGE: ""}

    faults = run_guard(tmp_path, name, {**around, file: fault})

    assert any(message in line for line in faults), faults
    assert run_guard(tmp_path, name, around if sound is None else {**around, file: sound}) == []


@pytest.mark.parametrize(
    ("file", "fault", "sound", "message"),
    [
        (VIEW, 'redirect("runs", slug)', 'redirect("work", slug)', "annotation names runs, a page of modelbridge"),
        (VIEW, 'NAMES = ("round-new",)', 'KINDS = ("rounds",)', "annotation names round-new, a page of evaluation"),
        (PAGE, "{% url 'rounds' slug %}", "{% url 'work' slug %}", "work.html:1: annotation names rounds"),
        (
            "modelbridge/views/runs/runs.py",
            'reverse("rounds", args=[slug])',
            'reverse("runs", args=[slug])',
            "modelbridge names rounds, a page of evaluation",
        ),
    ],
)
def test_an_app_names_no_page_of_the_apps_above(tmp_path, file, fault, sound, message):
    assert message in run_guard(tmp_path, "find_upper_url_names", {**ROUTES, file: fault})[0]
    assert run_guard(tmp_path, "find_upper_url_names", {**ROUTES, file: sound}) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('from django.utils.translation import gettext as _\n_("%(n)d tasks wait") % {"n": 1}', "'%(n)d tasks'"),
        ('_("%(n)d are late")', "'%(n)d are'"),
    ],
)
def test_a_message_in_code_needs_plural_forms_too(tmp_path, text, message):
    assert message in run_guard(tmp_path, "find_missing_plurals", {SERVICE: text})[0]


@pytest.mark.parametrize(
    ("file", "fault", "sound"),
    [
        (VIEW, 'f"{hours:.1f} h"', 'f"{format_decimal(hours, 1)} h"'),
        (VIEW, 'f"{words:,}"', 'f"{name:>10}"'),
        (VIEW, '_("%(hours).1f h")', '_("%(hours)s h")'),
        ("static/js/task.js", "hours.toFixed(1)", "formatScore(hours, 1)"),
    ],
)
def test_numbers_are_written_by_one_module(tmp_path, file, fault, sound):
    assert "instead of a" in run_guard(tmp_path, "find_unformatted_numbers", {file: fault})[0]
    assert run_guard(tmp_path, "find_unformatted_numbers", {file: sound}) == []


def test_limits_ranges_and_plural_forms_are_no_faults(tmp_path):
    text = '_("Use at most %(n)d characters.")\n_("%(low)s to %(high)s words, %(n)s samples/s")\n'
    text += 'ngettext("%(n)d task", "%(n)d tasks", n)\n_("%(name)s has gone")'

    assert run_guard(tmp_path, "find_missing_plurals", {SERVICE: text}) == []


@pytest.mark.parametrize(
    ("text", "n_faults"),
    [
        ('question.type in ("yes-no", "likert")', 1),
        ('"speakers" != schema.attribute(key).kind', 1),
        ('match job.kind:\n    case "export":\n        pass', 1),
        ('self.kind == "gold"', 0),
        ("attribute.kind != before.kind", 0),
        ("preview.kind in ROW_KINDS", 0),
        ('device.type == "cuda" and model.device.type != "cpu" and table.dtype.kind not in "iu"', 0),
    ],
)
def test_only_comparisons_of_a_kind_with_a_name_are_switches(tmp_path, text, n_faults):
    assert len(run_guard(tmp_path, "find_kind_switches", {SERVICE: text})) == n_faults


@pytest.mark.parametrize("file", ["annotation/services/claiming.py", "templates/annotation/work.html"])
def test_a_file_beside_the_features_is_found(tmp_path, file):
    assert "in no folder of a feature" in run_guard(tmp_path, "find_files_outside_features", {file: ""})[0]


def test_a_contract_that_is_gone_or_has_holes_is_found(tmp_path):
    faults = run_guard(
        tmp_path, "find_missing_contracts", {"pyproject.toml": CONTRACTS + 'containers = ["annotation"]'}
    )

    assert "pyproject.toml: the contract 'rooms of the library' is missing" in faults
    assert "pyproject.toml: the contract 'apps one way' is not exhaustive" in faults
    assert not any("'apps one way' is missing" in line for line in faults)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("see [limits](limits.md#sizes)", "docs/limits.md"),
        ("see [the code](../annotation/services/tasks/claim.py)", None),
        ("run `python -m benchmarks.gone --quick`", "benchmarks/gone.py"),
        ("    python -m benchmarks.gone", "benchmarks/gone.py"),
        ("`annotation/services/FEATURE/` and `annotation/services/`", None),
        ("[elsewhere](https://example.org/x.md) and [here](#there)", None),
    ],
)
def test_a_document_names_only_what_is_there(tmp_path, text, missing):
    faults = run_guard(tmp_path, "find_missing_paths", {SERVICE: "", DOCUMENT: text})

    assert faults == ([f"{DOCUMENT}:1: there is no {missing}"] if missing else [])


def test_every_page_of_documentation_is_named_in_the_readme(tmp_path):
    files = {DOCUMENT: "", "docs/api.md": "", "README.md": f"[security]({DOCUMENT}#logs)"}
    assert run_guard(tmp_path, "find_unnamed_pages", files) == ["README.md: does not name docs/api.md"]


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("`TRIES` in `annotation/services/tasks/claim.py`", None),
        ("`TRIES`, `Claim`, `LEASES` in `claim.py`", None),
        ("`TRIES`, `GONE` in `claim.py`", "GONE"),
        ("what it imports (`Claim`, `Path` in `claim.py`)", "Path"),
        ("`GONE` (`claim.py`)", "GONE"),
        ("a new `GONE`; `claim.py` has it", None),
    ],
)
def test_a_constant_that_a_document_names_is_defined_in_its_file(tmp_path, text, missing):
    code = "from pathlib import Path\nTRIES = 3\nLEASES: dict[str, int] = {}\nclass Claim: pass"
    faults = run_guard(tmp_path, "find_missing_constants", {SERVICE: code, DOCUMENT: text})

    assert faults == ([f"{DOCUMENT}:1: claim.py does not define {missing}"] if missing else [])


@pytest.mark.parametrize(
    ("subject", "fault"),
    [
        ("exports: write lines as orjson does", ""),
        ("api, client: seed the order of samples", ""),
        ("Exports: write lines", "not `area: verb object`"),
        ("Write lines of exports as orjson does", "not `area: verb object`"),
        ("exports: writing lines as orjson does", "'writing' is no verb"),
        ("exports: added a format", "'added' is no verb"),
        ("exports: write lines as orjson does.", "not `area: verb object`"),
        (f"exports: write {'x' * 60}", "75 characters, at most 72"),
    ],
)
def test_a_commit_says_what_it_does_to_what(subject, fault):
    assert describe_fault(subject).startswith(fault) and bool(fault) == bool(describe_fault(subject))


@pytest.mark.parametrize(
    "fault",
    [
        "class Store(DatabaseStore):\n    def load(self):\n        return super()._load()\n",
        "class Store(DatabaseStore):\n    def _load(self):\n        return super()._load()\n",
        "from django.utils import _os\n",
        "library.model._private = 1\n",
    ],
)
def test_private_parts_are_found_in_each_form(tmp_path, fault):
    assert "is private" in run_guard(tmp_path, "find_private_parts", {SERVICE: fault})[0]


def test_private_parts_in_the_table_and_of_the_module_itself_are_no_faults(tmp_path):
    text = "def _count(row):\n    self._n = module._count(row)._n + row._meta.x + library._state\n"
    row = f"| `{SERVICE}` | `_state` of the library | faster | `tests/x.py` |\n"
    table = {"docs/architecture.md": f"# A\n\n## Private parts of libraries\n\n{row}"}

    assert run_guard(tmp_path, "find_private_parts", {SERVICE: text, **table}) == []
    assert "does not use _state" in run_guard(tmp_path, "find_private_parts", {SERVICE: "", **table})[0]


def test_names_in_tests_and_benchmarks_are_read_too(tmp_path):
    faults = run_guard(tmp_path, "find_vague_variables", {"tests/tasks/test_claim.py": "told = 1", SERVICE: ""})
    assert faults == ["tests/tasks/test_claim.py:1: told does not say what it holds"]


def test_every_guard_has_a_planted_fault():
    assert {guard.__name__ for guard in GUARDS} == {
        *PLANTED,
        "find_missing_contracts",
        "find_unnamed_pages",
        "find_upper_url_names",
        "find_commit_faults",
    }
