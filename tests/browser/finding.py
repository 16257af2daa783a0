"""Where a Chromium is: one without windows, which needs half the time, else Playwright's own, else the system's."""

import os
import shutil
from functools import cache
from pathlib import Path

SHELL = "chromium-headless-shell"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@cache
def find_chromium() -> str | None:
    """Path of a Chromium that can be started, or None. EPITOME_CHROMIUM names one."""
    value = os.environ.get("EPITOME_CHROMIUM")
    if value:
        return value if Path(value).exists() else None
    return shutil.which(SHELL) or _playwright() or next(filter(None, map(shutil.which, NAMES)), None)


def _playwright() -> str | None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as play:
        path = play.chromium.executable_path
    return path if path and Path(path).exists() else None
