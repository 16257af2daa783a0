"""Days and moments of rows are written as the date patterns of each language write them."""

import re
from datetime import datetime
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation
from django.utils.formats import date_format

from annotation.services.core.day_words import write_day, write_moment
from epitome.site.date_formats import PATTERNS

ROOT = Path(__file__).resolve().parents[2]
CALL = r"(?:date_format|write_day|write_moment)\([^()]*(?:\(\))?[^()]*"
NAMED = re.compile(r"""\|date:["']([^"']+)["']|""" + CALL + r', "([^"]+)"\)')
APPS = ("annotation", "evaluation", "modelbridge")
FOR_MACHINES = {"c", "Y-m-d", "U"}


def test_every_pattern_that_pages_name_is_known_to_all_languages():
    files = [*ROOT.glob("templates/**/*.html"), *(path for app in APPS for path in ROOT.glob(f"{app}/**/*.py"))]
    results = {
        (path.relative_to(ROOT).as_posix(), html or python)
        for path in files
        for html, python in NAMED.findall(path.read_text(encoding="utf-8"))
    }
    assert len({pattern for _path, pattern in results}) > 5
    assert {(path, pattern) for path, pattern in results if pattern not in {*PATTERNS, *FOR_MACHINES}} == set()


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
@pytest.mark.parametrize("moment", [datetime(2031, 3, 4, 5, 6), datetime(2031, 12, 31), datetime(2032, 1, 1, 23, 59)])
def test_a_day_and_a_moment_follow_the_patterns(language, moment):
    with translation.override(language):
        for pattern in PATTERNS:
            if pattern.endswith("H:i") and pattern != "H:i":
                assert write_moment(moment, pattern) == date_format(moment, pattern)
            elif "H" not in pattern:
                assert write_day(moment.date(), pattern) == date_format(moment, pattern)
        assert write_day(moment.date()) == date_format(moment, "j M Y")
        assert write_moment(moment) == date_format(moment, "j M Y H:i")
