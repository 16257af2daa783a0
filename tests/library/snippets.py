"""The examples of docs/library.md with what they print. Needs nothing but Python, so that any environment can run it:

python tests/library/snippets.py docs/library.md
"""

import contextlib
import io
import os
import re
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

EXAMPLE = re.compile(r"^### ([^\n]+)\n(.*?)^```python\n(.*?)^```\n\n^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Snippet(NamedTuple):
    title: str
    code: str
    printed: str

    @property
    def needs_pandas(self) -> bool:
        return "import pandas" in self.code


def read_snippets(page: Path) -> list[Snippet]:
    return [Snippet(title, code, printed) for title, _, code, printed in EXAMPLE.findall(page.read_text("utf-8"))]


def run_snippet(snippet: Snippet) -> str:
    """What the example prints, run in an empty folder."""
    out, here = io.StringIO(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(snippet.code, snippet.title, "exec"), {"__name__": "__main__"})
        finally:
            os.chdir(here)
    return out.getvalue()


def main() -> int:
    faults = 0
    for snippet in read_snippets(Path(sys.argv[1])):
        if snippet.needs_pandas and find_spec("pandas") is None:
            print(f"skipped, no pandas: {snippet.title}")
            continue
        right = run_snippet(snippet) == snippet.printed
        faults += not right
        print(f"{'ok' if right else 'DIFFERS'}: {snippet.title}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
