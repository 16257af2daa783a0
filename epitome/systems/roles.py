"""What the roles of systems have and take: services ask this instead of comparing names."""

from dataclasses import dataclass

from epitome.systems.protocol import ROLES


@dataclass(frozen=True, slots=True)
class RoleTraits:
    """writes: a summary of each request, from its source alone; other roles work on texts that are there already.
    scores: gives log-probabilities of texts. judges: answers a question about a text."""

    writes: bool = False
    scores: bool = False
    judges: bool = False


_TRAITS = {
    "generate": RoleTraits(writes=True),
    "score": RoleTraits(scores=True),
    "rank": RoleTraits(),
    "transform": RoleTraits(),
    "judge": RoleTraits(judges=True),
}
assert set(_TRAITS) == set(ROLES)


def traits_of(role: str) -> RoleTraits:
    """Of a role of ROLES."""
    return _TRAITS[role]
