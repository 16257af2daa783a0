"""`make check`: words that may not stand in the code, each with its reason. A reviewed place carries `guard: why`."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = (".py", ".html", ".js")
BANNED = {
    r"\|safe\b|mark_safe|autoescape off": "unescaped output",
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write": "unescaped output in the browser",
    r"\beval\(|new Function": "code from text",
    r"csrf_exempt": "an unsafe route without its token",
    r"\bpickle\b|torch\.load\(": "code from data",
    r"\.raw\(|\.extra\(": "SQL by hand",
    r"order_by\(['\"]\?": "a random order nobody can repeat",
    r"filter\(\*\*request|objects\.get\(\*\*request": "fields named by a visitor",
    r"except:\s*$": "an error swallowed whole",
    r"\sstyle=\"|\sonclick=": "inline style or script, which the policy forbids",
}
SELF = ("tests/", "static/vendor/", "benchmarks/")


def tracked() -> list[str]:
    out = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in out.splitlines() if name.endswith(CODE) and not name.startswith(SELF)]


def faults() -> list[str]:
    found = []
    for name in tracked():
        file = ROOT / name
        if not file.is_file():
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if "guard:" in line:
                continue
            for pattern, why in BANNED.items():
                if re.search(pattern, line):
                    found.append(f"{name}:{number}: {why}: {line.strip()[:100]}")
    return found


if __name__ == "__main__":
    rows = faults()
    print("\n".join(rows) or "guards: nothing found")
    sys.exit(1 if rows else 0)
