"""The session engine and authentication backend under the names that settings and stored sessions use."""

from annotation.services.accounts.sessions import Backend, SessionStore

__all__ = ["Backend", "SessionStore"]
