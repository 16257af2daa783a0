"""A control attribute as data, and the schema that lists them. No other module names an attribute.

Values are texts ("short", and "0" to "4" for bins); what people pick (topics, speakers) are lists of texts.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from epitome.schema.attribute_kinds import ATTRIBUTE_KINDS, AttributeKind, CandidateKind
from epitome.schema.errors import InvalidValue, describe_value, list_options

FilledBy = Literal["sampler", "annotator"]
BandOf = Literal["relevant_words", "words", "measure"]
Domain = Literal["document", "dialogue"]

CODE_LENGTH = 60
MOST_PER_SOURCE = 1000
"""Samples of one source, where their number is given."""
_TINY = 1e-9  # .06 * 50 is 3.0000000000000004 or 2.9999999999999996 elsewhere; the browser uses the same allowance


@dataclass(frozen=True)
class Band:
    """The usual range for one value. of "relevant_words": shares of the words in the relevant segments (of all
    segments when there is nothing to choose); of "words": number of words; of "measure": value of the attribute's
    measure. high None: no upper bound."""

    of: BandOf
    low: float
    high: float | None

    def as_dict(self) -> dict[str, object]:
        return {"of": self.of, "low": self.low, "high": self.high}

    def in_words(self, relevant_words: int) -> tuple[int, int | None] | None:
        """(low, high) in whole words, both inclusive, at least 1 and never empty; None while nothing is marked, and
        for a band of "measure"."""
        if self.of == "measure":
            return None
        if self.of == "words":
            return math.ceil(self.low), None if self.high is None else math.floor(self.high)
        if relevant_words <= 0:
            return None
        low = max(1, math.ceil(self.low * relevant_words - _TINY))
        if self.high is None:
            return low, None
        return low, max(low, math.floor(self.high * relevant_words + _TINY))


@dataclass(frozen=True)
class Attribute:
    """One control attribute.

    kind: key of ATTRIBUTE_KINDS. values: lowest first where the kind has an order. edges: the upper bound of each bin,
    inclusive. anchor: the baseline value for comparisons; "" without an order. value_examples: a text that follows it.
    weights: relative frequency of each value for the `weighted` sampler. prompt_values: the wording of a value in
    prompts, where it differs. question "": measured, not asked of raters.
    """

    key: str
    label: str
    code: str
    kind: str
    filled_by: FilledBy
    values: tuple[str, ...] = ()
    value_labels: Mapping[str, str] = field(default_factory=dict)
    value_guides: Mapping[str, str] = field(default_factory=dict)
    value_examples: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    bands: Mapping[str, Band] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    anchor: str = ""
    edges: tuple[int, ...] = ()
    measure: str = ""
    guide: str = ""
    question: str = ""
    prompt: str = ""
    prompt_values: Mapping[str, str] = field(default_factory=dict)
    min_picks: int = 0
    max_picks: int = 0

    @property
    def traits(self) -> AttributeKind:
        return ATTRIBUTE_KINDS[self.kind]

    @property
    def required(self) -> bool:
        """Whether at least one pick is required when a group asks for it; values are always required."""
        return self.traits.has_values or self.min_picks > 0

    @property
    def has_values(self) -> bool:
        """Whether a request names one of `values`; otherwise it is a list of picked texts."""
        return self.traits.has_values

    @property
    def has_distance(self) -> bool:
        """Whether its values are in an order, so that two of them have a distance."""
        return self.traits.has_order

    @property
    def candidate_kind(self) -> CandidateKind:
        """The kind of candidates people pick from; "" for values."""
        return self.traits.candidate_kind

    def value_label(self, value: str) -> str:
        return self.value_labels.get(value, value)

    def value_guide(self, value: str) -> str:
        return self.value_guides.get(value, "")

    def value_example(self, value: str) -> str:
        return self.value_examples.get(value, "")

    def prompt_value(self, value: str) -> str:
        return self.prompt_values.get(value, value)

    def band(self, value: str) -> Band | None:
        return self.bands.get(value)

    def band_words(self, value: str, relevant_words: int) -> tuple[int, int | None] | None:
        """The value's band in whole words, see Band.in_words; None without a band."""
        band = self.band(self.canonical(value))
        return None if band is None else band.in_words(relevant_words)

    def canonical(self, value: object) -> str:
        """The canonical form of a value: itself, or the value of an alias. Raises InvalidValue."""
        if not self.traits.has_values:
            raise InvalidValue("is a list of texts, it has no fixed values", key=self.key, value=value)
        if self.traits.has_edges and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str):
            if value in self.values:
                return value
            if value in self.aliases:
                return self.aliases[value]
        also = f" (also accepted: {list_options(self.aliases)})" if self.aliases else ""
        message = f"{describe_value(value)} is not one of {list_options(self.values)}{also}"
        raise InvalidValue(message, key=self.key, value=value, allowed=self.values)

    def index(self, value: object) -> int:
        return self.values.index(self.canonical(value))

    def distance(self, first: object, second: object) -> int:
        """index(first) - index(second): high to normal is 1, short to long is -2. Raises InvalidValue for picks, and
        for values without an order."""
        if self.has_values and not self.has_distance:
            raise InvalidValue("has values without an order, so no two have a distance", key=self.key, value=first)
        return self.index(first) - self.index(second)

    def bin_of(self, number: float) -> str:
        """The bin a number falls into; above the last edge it is the last bin. Raises InvalidValue without bins."""
        if not self.edges:
            raise InvalidValue("has no bins", key=self.key, value=number)
        inside = (value for value, edge in zip(self.values, self.edges, strict=True) if number <= edge)
        return next(inside, self.values[-1])

    def check_picks(self, picks: object) -> list[str]:
        """The picked texts, unchanged. Raises InvalidValue: too few, too many, an empty text, or a duplicate."""
        if not isinstance(picks, list | tuple) or not all(isinstance(pick, str) for pick in picks):
            raise InvalidValue(f"must be a list of texts, is {describe_value(picks)}", key=self.key, value=picks)
        folded = [" ".join(pick.split()).casefold() for pick in picks]
        if not all(folded):
            raise InvalidValue("has an empty entry; leave it out", key=self.key, value=picks)
        for position, pick in enumerate(folded):
            if pick in folded[:position]:
                raise InvalidValue(f"{describe_value(picks[position])} stands twice", key=self.key, value=picks)
        if not self.min_picks <= len(picks) <= self.max_picks:
            expected_count = (
                f"{self.min_picks} to {self.max_picks}" if self.min_picks < self.max_picks else str(self.max_picks)
            )
            raise InvalidValue(f"needs {expected_count}, has {len(picks)}", key=self.key, value=picks)
        return list(picks)

    @cached_property
    def value_codes(self) -> Mapping[str, str]:
        """value -> its short code: the shortest prefix of up to 4 characters that is unique among the values, else
        the value's number."""
        for size in range(1, 5):
            codes = [value[:size].casefold() for value in self.values]
            if len(set(codes)) == len(codes):
                return dict(zip(self.values, codes, strict=True))
        return {value: str(position) for position, value in enumerate(self.values)}


@dataclass(frozen=True)
class Grouping:
    """How a source's samples are divided into groups with the same topics and speakers, and how many there are.

    whole_groups: a source gets whole groups only, the one without topic (if any) and at least one other, so that no
    sample is alone and no source without a group that has all attributes. per_source: exactly so many samples for every
    source, even if its last group is cut; None: per_2000_words decides.
    """

    algorithm: str = "uniform"
    group_size: int = 2
    no_topic_group: bool = False
    no_topic_size: int = 3
    whole_groups: bool = False
    per_2000_words: float = 8.0
    weights: str = ""
    per_source: int | None = None

    def budget(self, n_words: int) -> float:
        """Samples of a source of n_words white-space words, before rounding. Raises ValueError below 0 words."""
        if n_words < 0:
            raise ValueError(f"a source cannot have {n_words} words")
        return self.per_2000_words * n_words / 2000 if self.per_source is None else float(self.per_source)


@dataclass(frozen=True)
class Limits:
    """Longest texts that are stored, in characters (code points)."""

    summary: int = 20_000
    title: int = 200
    pick: int = 100


@dataclass(frozen=True)
class Prompts:
    """hp: the input of systems trained on it; {key} is an attribute's value, {source} the joined segments."""

    hp: str = ""
    segment_joiner: str = " "


def check_shares(shares: object) -> str:
    """What is wrong with the shares of train, dev and test; "" for three whole percents that sum to 100, the first
    above 0."""
    if not isinstance(shares, list | tuple) or len(shares) != 3:
        return "must be three whole numbers: percent of train, dev and test"
    if not all(isinstance(share, int) and not isinstance(share, bool) and share >= 0 for share in shares):
        return "must be three whole numbers from 0"
    if sum(shares) != 100:
        return f"must sum to 100, not {describe_value(sum(shares))}"
    return "" if shares[0] else "must begin with more than 0: train cannot be empty"


@dataclass(frozen=True)
class Schema:
    """The attributes of a project, in the order used by every form, column and code."""

    key: str
    name: str
    domain: Domain
    language: str
    attributes: tuple[Attribute, ...]
    sampling: Grouping = field(default_factory=Grouping)
    limits: Limits = field(default_factory=Limits)
    prompts: Prompts = field(default_factory=Prompts)
    shares: tuple[int, int, int] = (80, 10, 10)
    """Percent of the sources in train, dev and test, where splits are drawn by origin."""
    overlap: int | None = None
    """Annotators per sample in a new project; None: one."""

    @cached_property
    def _by_key(self) -> dict[str, Attribute]:
        return {attribute.key: attribute for attribute in self.attributes}

    @cached_property
    def sampled(self) -> tuple[Attribute, ...]:
        """Attributes filled by the sampler."""
        return tuple(attribute for attribute in self.attributes if attribute.filled_by == "sampler")

    @cached_property
    def chosen(self) -> tuple[Attribute, ...]:
        """Attributes chosen by a person for a group: topics, speakers."""
        return tuple(attribute for attribute in self.attributes if attribute.filled_by == "annotator")

    def find(self, key: str) -> Attribute | None:
        return self._by_key.get(key)

    def attribute(self, key: str) -> Attribute:
        """Raises InvalidValue naming the attributes there are."""
        if key not in self._by_key:
            keys = tuple(self._by_key)
            raise InvalidValue(f"is no attribute; there are {', '.join(keys)}", key=str(key), value=key, allowed=keys)
        return self._by_key[key]

    def canonical(self, key: str, value: object) -> str:
        return self.attribute(key).canonical(value)

    def distance(self, key: str, first: object, second: object) -> int:
        return self.attribute(key).distance(first, second)

    def validate_values(self, values: Mapping[str, object]) -> dict[str, str]:
        """The sampled values, in schema order and canonical form. Raises InvalidValue: unknown, missing or wrong."""
        keys = [attribute.key for attribute in self.sampled]
        for key in values:
            if key not in keys:
                message = f"is not filled by the sampler; it fills {', '.join(keys)}"
                raise InvalidValue(message, key=str(key), value=values[key], allowed=keys)
        for attribute in self.sampled:
            if attribute.key not in values:
                message = f"is missing; one of {list_options(attribute.values)}"
                raise InvalidValue(message, key=attribute.key, value=None, allowed=attribute.values)
        return {attribute.key: attribute.canonical(values[attribute.key]) for attribute in self.sampled}

    def validate_chosen(self, chosen: Mapping[str, object], asks: Sequence[str] | None = None) -> dict[str, list[str]]:
        """What a person chose for a group that asks for `asks` (all by default). Raises InvalidValue."""
        asked_keys = [attribute.key for attribute in self.chosen] if asks is None else list(asks)
        for key in chosen:
            if key not in asked_keys:
                message = f"is not asked for here; asked for: {', '.join(asked_keys) or 'nothing'}"
                raise InvalidValue(message, key=str(key), value=chosen[key], allowed=asked_keys)
        return {
            attribute.key: attribute.check_picks(chosen.get(attribute.key, []))
            for attribute in self.chosen
            if attribute.key in asked_keys
        }

    def combination_code(self, values: Mapping[str, object]) -> str:
        """Short code of the sampled values in schema order: `snh` = short, normal, high. Codes of several characters
        are joined by "-"; "_" marks a missing value. Raises InvalidValue for a wrong value."""
        codes = []
        for attribute in self.sampled:
            value = values.get(attribute.key)
            codes.append("_" if value is None else attribute.value_codes[attribute.canonical(value)])
        return self._code_joiner.join(codes)

    combination = combination_code

    @cached_property
    def _code_joiner(self) -> str:
        return (
            "" if all(len(code) == 1 for attribute in self.sampled for code in attribute.value_codes.values()) else "-"
        )

    @property
    def longest_code(self) -> int:
        """Characters of the longest combination code."""
        longest = [max(map(len, attribute.value_codes.values()), default=1) for attribute in self.sampled]
        return sum(longest) + len(self._code_joiner) * max(0, len(longest) - 1)


def content_hash(text: str) -> str:
    """SHA-256 of the text's UTF-8 bytes, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()
