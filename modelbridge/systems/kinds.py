"""The kinds of systems there are: one line each. Nothing of a kind is imported before it is used."""

from dataclasses import dataclass
from typing import Literal

from modelbridge.systems.protocol import Role

Queue = Literal["text", "gpu"]


@dataclass(frozen=True)
class Kind:
    """What is known of a kind without importing it.

    load: "module:function", called as `make(config: SystemConfig) -> System`. The same module has
    `options(table: Table) -> <frozen dataclass>`, which reads the `[options]` of a configuration (first calling
    `table.only(KNOWN)`), and may have `follows(settings) -> Follows`, so that pages can tell without loading weights.
    needs: the extra of the package that must be installed, "" for none. queue: which workers run it.
    listed: whether people are offered it; False for what only tests use.
    """

    name: str
    role: Role
    load: str
    needs: str = ""
    queue: Queue = "text"
    listed: bool = True

    @property
    def module(self) -> str:
        return self.load.partition(":")[0]


_HERE = "modelbridge.systems"

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("lead", "generate", f"{_HERE}.lead:make"),
        Kind("textrank", "generate", f"{_HERE}.textrank:make"),
        Kind("random", "generate", f"{_HERE}.random_sentences:make"),
        Kind("controlled-extract", "generate", f"{_HERE}.controlled_extract.system:make"),
        Kind("upload", "generate", f"{_HERE}.upload:make", listed=False),
        Kind("chat", "generate", f"{_HERE}.chat:make"),
        Kind("chat-judge", "judge", f"{_HERE}.chat_judge:make"),
        Kind("seq2seq", "generate", f"{_HERE}.seq2seq:make", "models", "gpu"),
        Kind("soft-prefix", "generate", f"{_HERE}.soft_prefix:make", "models", "gpu"),
        Kind("lora", "generate", f"{_HERE}.lora:make", "models", "gpu"),
        Kind("causal", "generate", f"{_HERE}.causal:make", "models", "gpu"),
        Kind("seq2seq-scorer", "score", f"{_HERE}.scorer:make_seq2seq", "models", "gpu"),
        Kind("causal-scorer", "score", f"{_HERE}.scorer:make_causal", "models", "gpu"),
        Kind("fake", "generate", f"{_HERE}.fakes:make", listed=False),
    )
}
