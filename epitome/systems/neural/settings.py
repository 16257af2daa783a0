"""The `[options]` shared by all systems with weights."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from epitome.schema.tables import Table
from epitome.systems.neural.decoding import Decoding, read_decoding
from epitome.systems.protocol import Follows
from epitome.systems.ranking.inputs import INPUT_FORMS

Input = Literal["vanilla", "hp"]
INPUTS = ("vanilla", "hp")
PICKS = ("topic", "speaker", "keywords")
ORDERED = ("length", "extractiveness", "specificity", "readability", "focus")
DTYPES = ("auto", "float32", "bfloat16", "float16")

SIZES = ("batch_tokens", "most_at_once", "batch_size")
KNOWN = (
    *("weights", "revision", "device", "dtype", *SIZES, "input", "attributes"),
    *("release_compat", "max_source_tokens", "aggregation_input", "static_cache", "compile", "decoding"),
)


@dataclass(frozen=True)
class Settings:
    """weights: a folder or a name on the hub. attributes: those included in the hard prompt, in any order.

    batch_tokens: padded source tokens per batch; halved automatically when memory runs out. most_at_once: maximum
    requests per batch. batch_size: preferred requests per call, so that they can be sorted by length. grows: whether
    the three become larger by themselves where a GPU has memory left.
    aggregation_input: which parts of an aggregation task the model reads (ranking/inputs.py). static_cache: memory for
    the longest text from the start, instead of a cache that grows. compile: the decoder by torch.compile, which needs
    that cache.
    """

    weights: str
    revision: str = ""
    device: str = "auto"
    dtype: str = "auto"
    batch_tokens: int = 16_384
    most_at_once: int = 64
    batch_size: int = 64
    grows: bool = False
    attributes: tuple[str, ...] = PICKS
    release_compat: bool = False
    max_source_tokens: int = 1024
    aggregation_input: str = "full"
    static_cache: bool = False
    compile: bool = False
    decoding: Decoding = field(default_factory=Decoding)

    @property
    def follows(self) -> Follows:
        return dict.fromkeys(self.attributes)


def read_settings(table: Table, known: Sequence[str] = KNOWN) -> Settings:
    """Checked settings of an `[options]` table. Raises SchemaError naming key and line."""
    table.only(known)
    return Settings(
        weights=table.text("weights", most=500, blank=False),
        revision=table.word("revision", r"[\w./-]{1,100}", "a branch, tag or commit", ""),
        device=table.word("device", r"auto|cpu|cuda(:\d{1,2})?", '"auto", "cpu" or "cuda"', "auto"),
        dtype=table.choice("dtype", DTYPES, "auto"),
        batch_tokens=table.whole("batch_tokens", 16_384, least=16, most=10_000_000),
        most_at_once=table.whole("most_at_once", 64, least=1, most=4096),
        batch_size=table.whole("batch_size", 64, least=1, most=4096),
        grows=not any(name in table.data for name in SIZES),
        attributes=_read_attributes(table),
        release_compat=table.flag("release_compat", False),
        max_source_tokens=table.whole("max_source_tokens", 1024, least=8, most=1_000_000),
        aggregation_input=table.choice("aggregation_input", INPUT_FORMS, "full"),
        static_cache=table.flag("static_cache", False),
        compile=table.flag("compile", False),
        decoding=read_decoding(table),
    )


def _read_attributes(table: Table) -> tuple[str, ...]:
    """The configured attributes; by default topics and speakers, with input = "hp" also the ordered attributes."""
    hard = table.choice("input", INPUTS, "vanilla") == "hp"
    names = table.items("attributes", [*PICKS, *ORDERED] if hard else list(PICKS), most=50)
    for index, name in enumerate(names):
        if not isinstance(name, str) or not name.isidentifier():
            table.fail("attributes", f"entry {index + 1} is no attribute's key: {str(name)[:40]!r}")
    return tuple(names)
