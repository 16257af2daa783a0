"""Pseudonyms of people in exports: stable within a project, different in every project."""

import hashlib
import hmac

from annotation.models import Project

DIGITS = 12


def compute_pseudonym(*, salt: str, user_id: int) -> str:
    """The first twelve hexadecimal digits of HMAC-SHA256(salt, user id)."""
    return hmac.new(salt.encode(), str(user_id).encode(), hashlib.sha256).hexdigest()[:DIGITS]


class Pseudonyms:
    """The pseudonyms of one project, each computed once."""

    def __init__(self, project: Project) -> None:
        self.salt = project.export_salt
        self.known: dict[int, str] = {}

    def of(self, user_id: int | None) -> str | None:
        """None when there is no user."""
        if user_id is None:
            return None
        if user_id not in self.known:
            self.known[user_id] = compute_pseudonym(salt=self.salt, user_id=user_id)
        return self.known[user_id]
