"""Static files, found once per process: every test client makes the site anew, and they are a hundred to look at."""

from whitenoise.middleware import WhiteNoiseMiddleware


def find_once() -> None:
    find, found = WhiteNoiseMiddleware.add_files_from_finders, {}

    def again(self: WhiteNoiseMiddleware) -> None:
        key = (self.static_prefix, self.max_age, self.allow_all_origins, self.charset)
        if key not in found:
            find(self)
            found[key] = self.files
        self.files = found[key]

    WhiteNoiseMiddleware.add_files_from_finders = again
