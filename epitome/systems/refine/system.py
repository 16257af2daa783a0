"""`refine`: the drafts of another system, measured and adjusted. All samples of a batch take their steps together."""

from collections.abc import Sequence
from typing import ClassVar, cast

from epitome.systems.config import SystemConfig
from epitome.systems.protocol import DEFAULT_BATCH, Follows, Generator, Output, Request, Role
from epitome.systems.refine.options import RefineOptions, parse_options
from epitome.systems.refine.session import Session

MAX_SESSIONS = 1_000
"""Unfinished samples that are remembered after a failure, so that no step is asked for twice."""


def followed_attributes(settings: RefineOptions) -> Follows:
    """Those of the base."""
    from epitome.systems import registry

    follows = registry.followed_attributes(settings.base)
    return {} if follows is None else follows


def make_system(config: SystemConfig) -> "RefineSystem":
    """Raises SystemFault: the base cannot be loaded."""
    from epitome.systems import registry

    return RefineSystem(config, cast(Generator, registry.make_system(config.settings.base)))


class RefineSystem:
    """When the base fails for a batch, the samples keep the steps that they have: a retry with any part of the batch
    goes on from there."""

    role: ClassVar[Role] = "generate"

    def __init__(self, config: SystemConfig, base: Generator) -> None:
        self.key, self.kind = config.key, config.kind
        self.settings: RefineOptions = config.settings
        self.base = base
        self.follows: Follows = base.follows
        self.batch_size = int(getattr(base, "batch_size", DEFAULT_BATCH))
        self._sessions: dict[str, Session] = {}

    def generate(self, batch: Sequence[Request]) -> list[Output]:
        """One output per request, in the same order. Raises whatever the base raises."""
        sessions = [self._find_session(request) for request in batch]
        while waiting := list({id(session): session for session in sessions if session.pending is not None}.values()):
            answers = self.base.generate([cast(Request, session.pending) for session in waiting])
            for session, answer in zip(waiting, answers, strict=True):
                session.take(answer)
        for request in batch:
            self._sessions.pop(request.id, None)
        return [session.finish() for session in sessions]

    def _find_session(self, request: Request) -> Session:
        known = self._sessions.get(request.id)
        if known is not None and known.request == request:
            return known
        session = Session(request, self.settings, self.follows)
        self._sessions.pop(request.id, None)
        while len(self._sessions) >= MAX_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[request.id] = session
        return session

    def close(self) -> None:
        """Free what the base holds."""
        close = getattr(self.base, "close", None)
        if close is not None:
            close()


__all__ = ["RefineOptions", "RefineSystem", "followed_attributes", "make_system", "parse_options"]
