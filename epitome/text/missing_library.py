"""What is said where a library of the extra `language` is missing."""


class MissingLibrary(ImportError):
    """A library of an extra is not installed; the message is one line that names the extra."""


def explain_missing(what: str, library: str) -> str:
    """The sentence that names the extra. what: that cannot be done without it."""
    return f"{what} needs {library}, which is not installed: pip install 'epitome[language]'"
