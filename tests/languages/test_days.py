"""Days and moments of rows are written as the date patterns of each language write them."""

from datetime import datetime

import pytest
from django.conf import settings
from django.utils import translation
from django.utils.formats import date_format

from annotation.views.core.days import describe_day, describe_moment


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_a_day_and_a_moment_follow_the_patterns(language):
    moment = datetime(2031, 3, 4, 5, 6)
    with translation.override(language):
        assert describe_day(moment.date(), language) == date_format(moment, "j M Y")
        assert describe_moment(moment, language) == date_format(moment, "j M Y H:i")
