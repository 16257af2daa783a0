"""Text that may not occur in the code, each with its reason. A reviewed place carries `guard: why`."""

import re
from collections.abc import Iterator

from tests.guards.checkout import Checkout

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
NOT_READ = ("tests/", "static/vendor/", "benchmarks/", "node_modules/")


def find_banned_text(checkout: Checkout) -> Iterator[str]:
    for name in checkout.names:
        if not name.endswith(CODE) or name.startswith(NOT_READ):
            continue
        for number, line in enumerate(checkout.read(name).splitlines(), 1):
            if "guard:" in line:
                continue
            for pattern, reason in BANNED.items():
                if re.search(pattern, line):
                    yield f"{name}:{number}: {reason}: {line.strip()[:100]}"
