"""manage.py in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run_manage(tmp_path, *command, **variables):
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("EPITOME_", "DATABASE_", "DJANGO_"))}
    env = {**keep, "EPITOME_DATA_DIR": str(tmp_path), **variables}
    command = command or ("check",)
    return subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, env=env, capture_output=True, text=True)
