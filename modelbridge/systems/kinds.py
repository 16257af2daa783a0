"""The kinds of systems, one line each. A kind's module is imported only when it is used."""

from dataclasses import dataclass
from typing import Literal

from modelbridge.systems.protocol import Role

Queue = Literal["text", "gpu"]


@dataclass(frozen=True)
class Kind:
    """Data of a kind that is known without importing its module.

    load: "module:function", called as `make_system(config: SystemConfig) -> System`. The same module has
    `parse_options(table: Table) -> <frozen dataclass>`, which reads the `[options]` of a configuration (first calling
    `table.only(KNOWN)`), and may have `followed_attributes(settings) -> Follows`, so that pages need no weights.
    needs: the extra of the package that must be installed, "" for none. queue: which workers run it.
    listed: whether it is offered to users; False for kinds used by tests only.
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
        Kind("lead", "generate", f"{_HERE}.lead:make_system"),
        Kind("textrank", "generate", f"{_HERE}.textrank:make_system"),
        Kind("random", "generate", f"{_HERE}.random_sentences:make_system"),
        Kind("controlled-extract", "generate", f"{_HERE}.controlled_extract.system:make_system"),
        Kind("upload", "generate", f"{_HERE}.upload:make_system", listed=False),
        Kind("chat", "generate", f"{_HERE}.chat:make_system"),
        Kind("chat-judge", "judge", f"{_HERE}.chat_judge:make_system"),
        Kind("chat-rewrite", "transform", f"{_HERE}.chat_rewrite:make_system"),
        Kind("seq2seq", "generate", f"{_HERE}.seq2seq:make_system", "models", "gpu"),
        Kind("soft-prefix", "generate", f"{_HERE}.soft_prefix:make_system", "models", "gpu"),
        Kind("lora", "generate", f"{_HERE}.lora:make_system", "models", "gpu"),
        Kind("causal", "generate", f"{_HERE}.causal:make_system", "models", "gpu"),
        Kind("seq2seq-scorer", "score", f"{_HERE}.scorer:make_seq2seq", "models", "gpu"),
        Kind("causal-scorer", "score", f"{_HERE}.scorer:make_causal", "models", "gpu"),
        Kind("likelihood", "rank", f"{_HERE}.likelihood:make_system", "models", "gpu"),
        Kind("fake", "generate", f"{_HERE}.fakes:make_system", listed=False),
        Kind("fake-scorer", "score", f"{_HERE}.fakes:make_scorer", listed=False),
        Kind("fake-ranker", "rank", f"{_HERE}.fakes:make_ranker", listed=False),
        Kind("fake-rewriter", "transform", f"{_HERE}.fakes:make_rewriter", listed=False),
        Kind("fake-judge", "judge", f"{_HERE}.fakes:make_judge", listed=False),
    )
}
