"""What reproduces a number: the measure, its version, and every option that matters.

Written as one line, `extractiveness:release|v:3|joiner:</s>`, and stored beside the number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_SEPARATOR: Final = "|"


@dataclass(frozen=True, slots=True)
class Signature:
    """name: the measure and its profile; version: of its code; options: (key, value) pairs, kept sorted."""

    name: str
    version: str
    options: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", tuple(sorted(self.options)))
        for component in (self.name, self.version, *(text for pair in self.options for text in pair)):
            if _SEPARATOR in component or not component or component.splitlines() != [component]:
                raise ValueError(f"a signature's parts are one line without {_SEPARATOR!r}, not {component!r}")
        keys = [key for key, _ in self.options]
        if bad := [key for key in keys if ":" in key or key == "v" or keys.count(key) > 1]:
            raise ValueError(f"a signature cannot have the option {bad[0]!r}: it is taken, doubled or has a colon")

    def with_(self, **options: object) -> Signature:
        """The same with these options added or replaced: `signature.with_(n=94, seed=7)`."""
        merged = {**dict(self.options), **{key: str(value) for key, value in options.items()}}
        return Signature(self.name, self.version, tuple(merged.items()))

    def __str__(self) -> str:
        return _SEPARATOR.join([self.name, f"v:{self.version}", *(f"{key}:{value}" for key, value in self.options)])

    @classmethod
    def parse(cls, text: str) -> Signature:
        """What `str()` wrote; raises ValueError for anything else."""
        name, *components = text.split(_SEPARATOR)
        pairs = [component.partition(":") for component in components]
        if not pairs or pairs[0][0] != "v" or not all(colon for _, colon, _ in pairs):
            raise ValueError(f"not a signature: {text[:80]!r} (wanted name|v:version|key:value)")
        return cls(name, pairs[0][2], tuple((key, value) for key, _, value in pairs[1:]))
