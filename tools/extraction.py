"""Django's `makemessages` with its result in a folder of its own: python -m tools.extraction FOLDER

Django itself would write beside the catalogues and merge by guesses.
"""

import sys
from typing import Any

import django
from django.conf import settings
from django.core.management import call_command
from django.core.management.commands import makemessages

NEVER_READ = ("tests", "tools", "benchmarks", "build", "docs", "node_modules", "var")


class Extraction(makemessages.Command):
    def find_files(self, root: str) -> list[Any]:
        files: list[Any] = super().find_files(root)
        for file in files:
            file.locale_dir = self.default_locale_path
        return files


def main(folder: str) -> None:
    django.setup()
    settings.LOCALE_PATHS = [folder]
    ignored = [f"{name}/*" for name in NEVER_READ]
    call_command(Extraction(), locale=["en"], keep_pot=True, ignore_patterns=ignored, verbosity=0)


if __name__ == "__main__":
    main(sys.argv[1])
