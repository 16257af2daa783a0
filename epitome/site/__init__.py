"""The site: settings, URLs, server and worker processes of the web application. The library imports nothing of it.

The wheel holds the three apps in epitome/apps, so that `pip install epitome` adds no other top-level package than
`epitome`. Every process of the site begins with a module of this package, and here their folder comes first on Python's
path: another package with the name of an app does no harm. In a checkout the apps are beside `epitome`.
"""

import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
APPS = _PACKAGE / "apps" if (_PACKAGE / "apps").is_dir() else _PACKAGE.parent
"""The folder of `annotation`, `modelbridge` and `evaluation`."""

if str(APPS) not in sys.path:
    sys.path.insert(0, str(APPS))
