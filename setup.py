"""Adds the apps, pages, static files, help and catalogues to the package; the rest of it is in pyproject.toml."""

from setuptools import find_packages, setup

APPS = ("annotation", "evaluation", "modelbridge")
"""Installed in epitome/apps, which the site alone has on its path (epitome/site/__init__.py)."""
SITE_FILES = {
    "epitome.templates": "templates",
    "epitome.static": "static",
    "epitome.docs": "docs",
    "epitome.locale": "locale",
}
"""Folders of the checkout that are installed inside the package `epitome`."""

apps = [f"epitome.apps.{name}" for name in find_packages(include=[f"{app}*" for app in APPS])]
setup(
    packages=[*find_packages(include=["epitome*"]), *apps, *SITE_FILES],
    package_dir={**SITE_FILES, **{f"epitome.apps.{app}": app for app in APPS}},
)
