"""The kinds of systems, one line each. A kind's module is imported only when it is used."""

from dataclasses import dataclass
from typing import Literal

from epitome.systems.protocol import Role

Queue = Literal["text", "gpu"]


@dataclass(frozen=True)
class Kind:
    """Data of a kind that is known without importing its module.

    label: what people call it, in English; pages translate it.
    load: "module:function", called as `make_system(config: SystemConfig) -> System`. The same module has
    `parse_options(table: Table) -> <frozen dataclass>`, which reads the `[options]` of a configuration (first calling
    `table.only(KNOWN)`), and may have `followed_attributes(settings) -> Follows`, so that pages need no weights.
    needs: the extra of the package that must be installed, "" for none. queue: which workers run it.
    listed: whether it is offered to users. elsewhere: nothing runs here, its outputs are uploaded. asks_server: it asks
    a model on a server. rewrites: a construction can send it its calls one by one.
    optimizes_measures: it is built to do well by the measures, which tables mark. adjusts_by: how its drafts can be
    refined: in words, by further turns of its conversation, or by moving the ranges that it aims at; "": not at all.
    wraps_system: it works through another system, which its settings name as `base`.
    """

    name: str
    label: str
    role: Role
    load: str
    needs: str = ""
    queue: Queue = "text"
    listed: bool = True
    elsewhere: bool = False
    asks_server: bool = False
    rewrites: bool = False
    optimizes_measures: bool = False
    adjusts_by: Literal["", "turns", "ranges"] = ""
    wraps_system: bool = False

    @property
    def module(self) -> str:
        return self.load.partition(":")[0]

    @property
    def counts_tokens(self) -> bool:
        """Whether its outputs say how many tokens were read and written."""
        has_weights = self.role == "generate" and self.needs == "models"
        return self.asks_server or self.wraps_system or has_weights


def gettext_noop(text: str) -> str:
    """Marks a text for translation; Django's own is not available in a room without Django."""
    return text


_HERE = "epitome.systems"

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("lead", gettext_noop("first sentences"), "generate", f"{_HERE}.lead:make_system", adjusts_by="ranges"),
        Kind("textrank", gettext_noop("TextRank"), "generate", f"{_HERE}.textrank:make_system", adjusts_by="ranges"),
        Kind(
            "random",
            gettext_noop("random sentences"),
            "generate",
            f"{_HERE}.random_sentences:make_system",
            adjusts_by="ranges",
        ),
        Kind(
            "controlled-extract",
            gettext_noop("extractive, follows requests"),
            "generate",
            f"{_HERE}.controlled_extract.system:make_system",
            optimizes_measures=True,
            adjusts_by="ranges",
        ),
        Kind(
            "refine",
            gettext_noop("drafts, measures and adjusts"),
            "generate",
            f"{_HERE}.refine.system:make_system",
            optimizes_measures=True,
            wraps_system=True,
        ),
        Kind(
            "upload",
            gettext_noop("uploaded predictions"),
            "generate",
            f"{_HERE}.upload:make_system",
            listed=False,
            elsewhere=True,
        ),
        Kind(
            "chat",
            gettext_noop("chat model"),
            "generate",
            f"{_HERE}.chat:make_system",
            asks_server=True,
            adjusts_by="turns",
        ),
        Kind(
            "chat-judge",
            gettext_noop("chat model as rater"),
            "judge",
            f"{_HERE}.chat_judge:make_system",
            asks_server=True,
        ),
        Kind(
            "chat-rewrite",
            gettext_noop("chat model that rewrites abstracts"),
            "transform",
            f"{_HERE}.chat_rewrite:make_system",
            asks_server=True,
            rewrites=True,
        ),
        Kind(
            "seq2seq",
            gettext_noop("sequence-to-sequence model"),
            "generate",
            f"{_HERE}.seq2seq:make_system",
            "models",
            "gpu",
        ),
        Kind(
            "soft-prefix",
            gettext_noop("soft-prefix model"),
            "generate",
            f"{_HERE}.soft_prefix:make_system",
            "models",
            "gpu",
        ),
        Kind("lora", gettext_noop("LoRA model"), "generate", f"{_HERE}.lora:make_system", "models", "gpu"),
        Kind(
            "lorahub",
            gettext_noop("merged LoRA adapters (LoRAHub)"),
            "generate",
            f"{_HERE}.lorahub:make_system",
            "models",
            "gpu",
        ),
        Kind(
            "adapter-fusion",
            gettext_noop("adapters, with fusion where there are several"),
            "generate",
            f"{_HERE}.adapter_fusion:make_system",
            "models",
            "gpu",
        ),
        Kind(
            "causal",
            gettext_noop("causal language model"),
            "generate",
            f"{_HERE}.causal:make_system",
            "models",
            "gpu",
            adjusts_by="turns",
        ),
        Kind(
            "seq2seq-scorer",
            gettext_noop("scorer, sequence-to-sequence"),
            "score",
            f"{_HERE}.scorer:make_seq2seq",
            "models",
            "gpu",
        ),
        Kind(
            "causal-scorer",
            gettext_noop("scorer, causal language model"),
            "score",
            f"{_HERE}.scorer:make_causal",
            "models",
            "gpu",
        ),
        Kind(
            "extract-scorer",
            gettext_noop("scorer of extract-then-rewrite systems"),
            "score",
            f"{_HERE}.extract_scorer:make_system",
            "models",
            "gpu",
        ),
        Kind(
            "likelihood",
            gettext_noop("ranks by log-probability"),
            "rank",
            f"{_HERE}.likelihood:make_system",
            "models",
            "gpu",
        ),
        Kind("rank-random", gettext_noop("random order"), "rank", f"{_HERE}.ranking.simple:make_random"),
        Kind(
            "rank-frequency",
            gettext_noop("ranks by frequency in train"),
            "rank",
            f"{_HERE}.ranking.simple:make_frequency",
        ),
        Kind("rank-feature", gettext_noop("ranks by one feature"), "rank", f"{_HERE}.ranking.simple:make_feature"),
        Kind(
            "rank-logistic",
            gettext_noop("logistic regression over features"),
            "rank",
            f"{_HERE}.ranking.logistic:make_system",
        ),
        Kind(
            "rank-classifier",
            gettext_noop("classifier of candidates"),
            "rank",
            f"{_HERE}.ranking.classifier:make_system",
            "models",
            "gpu",
        ),
        Kind("fake", gettext_noop("for tests"), "generate", f"{_HERE}.fakes:make_system", listed=False),
        Kind("fake-scorer", "fake-scorer", "score", f"{_HERE}.fakes:make_scorer", listed=False),
        Kind("fake-ranker", "fake-ranker", "rank", f"{_HERE}.fakes:make_ranker", listed=False),
        Kind("fake-rewriter", "fake-rewriter", "transform", f"{_HERE}.fakes:make_rewriter", listed=False),
        Kind("fake-judge", "fake-judge", "judge", f"{_HERE}.fakes:make_judge", listed=False),
    )
}
ELSEWHERE = frozenset(kind.name for kind in KINDS.values() if kind.elsewhere)
REWRITING = frozenset(kind.name for kind in KINDS.values() if kind.rewrites)


def find_kind(name: str) -> Kind:
    """The kind of a revision; a name that no longer exists gives a kind without any traits."""
    return KINDS.get(name) or Kind(name, name, "generate", "", listed=False)
