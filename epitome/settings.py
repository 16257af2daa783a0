"""The settings under the name that they had before `epitome.site`, for environments that set
`DJANGO_SETTINGS_MODULE=epitome.settings`."""

from epitome.site.settings import *  # noqa: F403
