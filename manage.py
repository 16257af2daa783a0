#!/usr/bin/env python
"""Django's command line for Epitome."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "epitome.site.settings")
    from epitome.site.demo_start import start_web_first
    from epitome.site.environment import BadSetting

    try:
        if sys.argv[1:2] == ["demo"]:
            start_web_first(sys.argv[2:])
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
    except BadSetting as error:
        print(f"epitome: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
