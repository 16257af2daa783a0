"""Static files, looked up once per process: every test client builds the site anew, and there are a hundred of them."""

from typing import Any, ClassVar

from whitenoise.middleware import WhiteNoiseMiddleware


class CachedMiddleware(WhiteNoiseMiddleware):
    """Shares the files among all instances with the same settings."""

    files_by_settings: ClassVar[dict[tuple[Any, ...], dict[str, Any]]] = {}

    def add_files_from_finders(self) -> None:
        key = (self.static_prefix, self.max_age, self.allow_all_origins, self.charset)
        if key not in self.files_by_settings:
            super().add_files_from_finders()
            self.files_by_settings[key] = self.files
        self.files = self.files_by_settings[key]
