"""The options of a chat system, from its configuration."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from epitome.prompts.templates import NEEDED_PLACES, PLACES, REWRITE_PLACES, TEMPLATES
from epitome.schema.tables import Table
from epitome.systems.chat_answers import ANSWER_FORMATS, MAX_TOKENS
from epitome.systems.chat_servers import KEY_NAME
from epitome.systems.examples import ExampleOptions, read_example_options
from epitome.systems.protocol import Follows

COMMON = (
    "server",
    "model",
    "served_as",
    "key_env",
    "max_source_words",
    "concurrency",
    "attempts",
    "timeout",
    "price",
    "decoding",
    "examples",
)
GENERATE = ("template", "prompt", "attributes", "bands", "clean")
JUDGE = ("answer_format", "repair")
_DECODING = (
    *("temperature", "top_p", "max_tokens", "max_tokens_name", "seed", "top_k", "min_p", "repetition_penalty"),
    *("frequency_penalty", "presence_penalty", "reasoning_effort", "enable_thinking", "extra"),
)
_OWN_KEYS = ("model", "messages", "stream", "n", *_DECODING)
"""What a request has from elsewhere, and no extra parameter may replace."""


@dataclass(frozen=True)
class Price:
    """Price per million input and output tokens."""

    input: float = 0.0
    output: float = 0.0
    currency: str = "USD"


@dataclass(frozen=True)
class ChatOptions:
    """server: a name of the administrator's list. served_as: the name by which its answers call the model, "" for any
    that holds the asked name or is in it. key_env: the variable with the key, "" for none.
    attributes: the only ones in the prompt; None: all. bands: also give the length as a number of words, if known.
    max_source_words: 0 is all. concurrency: requests at once. timeout: seconds for one request.
    prompt: texts of one's own that replace those of the template, by name. examples: worked examples put in front.
    parameters: sent besides model and messages. seed: whether each request's seed is sent. answer_format: how a judge's
    answer is held to the words offered, one of ANSWER_FORMATS. repair: whether an invalid answer is asked for again."""

    server: str
    model: str
    served_as: str = ""
    key_env: str = ""
    template: str = "auto"
    attributes: tuple[str, ...] | None = None
    bands: bool = True
    clean: bool = True
    max_source_words: int = 0
    concurrency: int = 4
    attempts: int = 6
    timeout: float = 300.0
    seed: bool = True
    prompt: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, object] = field(default_factory=dict)
    price: Price | None = None
    examples: ExampleOptions | None = None
    answer_format: str = "text"
    repair: bool = False


def read_options(table: Table, *, judge: bool = False, rewrites: bool = False) -> ChatOptions:
    """The options of an `[options]` table: of a system that writes summaries, of a judge, or of one that rewrites.
    Raises SchemaError naming the key."""
    table.only((*COMMON, "prompt") if rewrites else (*COMMON, *JUDGE) if judge else (*COMMON, *GENERATE))
    generates = not judge and not rewrites
    decoding = table.table("decoding", _DECODING)
    return ChatOptions(
        server=table.word(
            "server", r"[a-z][a-z0-9-]{0,59}", "the name of a server: lower-case letters, digits, hyphens"
        ),
        model=table.text("model", most=200, blank=False),
        served_as=table.text("served_as", "", most=200),
        key_env=table.word("key_env", KEY_NAME, "the name of a variable that ends in _API_KEY", ""),
        template=table.choice("template", ("auto", *TEMPLATES), "auto") if generates else "auto",
        attributes=_read_attributes(table) if generates else None,
        bands=generates and table.flag("bands", True),
        clean=not generates or table.flag("clean", True),
        max_source_words=table.whole("max_source_words", 0, least=0, most=10_000_000),
        concurrency=table.whole("concurrency", 4, least=1, most=64),
        attempts=table.whole("attempts", 6, least=1, most=20),
        timeout=table.number("timeout", 300.0, least=1, most=3600),
        seed=decoding.flag("seed", True),
        prompt={} if judge else _read_rewrite_prompt(table) if rewrites else read_prompt_texts(table),
        parameters=_read_parameters(decoding),
        price=_read_price(table) if "price" in table.data else None,
        examples=read_example_options(table),
        answer_format=table.choice("answer_format", ANSWER_FORMATS, "text") if judge else "text",
        repair=judge and table.flag("repair", False),
    )


def _read_attributes(table: Table) -> tuple[str, ...] | None:
    if "attributes" not in table.data:
        return None
    keys = table.items("attributes", most=30)
    for key in keys:
        if not isinstance(key, str):
            table.fail("attributes", "must list keys of attributes")
    return tuple(keys)


def read_prompt_texts(table: Table, *, name: str = "prompt", sources: int = 0) -> dict[str, str]:
    """The texts of the table `name`; every place in braces must be one that is filled. A prompt that never shows the
    source is refused: it would ask for a summary of nothing. sources: how often it may be shown; 0: any number."""
    prompt = table.table(name, tuple(PLACES))
    texts = {key: prompt.template(key, PLACES[key]).strip("\n") for key in PLACES if key in prompt.data}
    source_texts = texts.get("user", "{source}") + texts.get("system", "")
    if "{source}" not in source_texts:
        prompt.fail("user", "nowhere shows the source: write {source} where it stands")
    if sources and source_texts.count("{source}") > sources:
        prompt.fail("user", "shows the source more than once")
    return texts


def _read_rewrite_prompt(table: Table) -> dict[str, str]:
    """The texts of `[options.prompt]` of a system that rewrites: as `_read_prompt`, with the places of its template."""
    prompt = table.table("prompt", tuple(REWRITE_PLACES))
    texts = {
        name: prompt.template(name, places).strip("\n")
        for name, places in REWRITE_PLACES.items()
        if name in prompt.data
    }
    for name, place in NEEDED_PLACES.items():
        if name in texts and f"{{{place}}}" not in texts[name]:
            prompt.fail(name, f"nowhere shows what is to be rewritten: write {{{place}}} where it stands")
    return texts


def _read_parameters(table: Table) -> dict[str, object]:
    """Only configured parameters are sent, except for the default limit of 1,024 tokens."""
    numbers = {"temperature": (0.0, 2.0), "top_p": (0.0, 1.0), "min_p": (0.0, 1.0), "repetition_penalty": (0.0, 10.0)}
    numbers |= {"frequency_penalty": (-2.0, 2.0), "presence_penalty": (-2.0, 2.0)}
    parameters: dict[str, object] = {
        key: table.number(key, least=low, most=high) for key, (low, high) in numbers.items() if key in table.data
    }
    name = table.choice("max_tokens_name", MAX_TOKENS, "max_tokens")
    parameters[name] = table.whole("max_tokens", 1024, least=1, most=1_000_000)
    if "top_k" in table.data:
        parameters["top_k"] = table.whole("top_k", 0, least=-1, most=1_000_000)
    if "reasoning_effort" in table.data:
        parameters["reasoning_effort"] = table.choice("reasoning_effort", ("none", "minimal", "low", "medium", "high"))
    if "enable_thinking" in table.data:  # as vLLM and SGLang take it
        parameters["chat_template_kwargs"] = {"enable_thinking": table.flag("enable_thinking", True)}
    return parameters | _read_extra(table)


def _read_extra(table: Table) -> dict[str, object]:
    """`[options.decoding.extra]`: what only this kind of server takes, sent as it is. Raises SchemaError."""
    extra = table.data.get("extra", {})
    if not isinstance(extra, Mapping):
        table.fail("extra", "must be a table of parameters")
    for key, value in extra.items():
        if key in _OWN_KEYS:
            table.fail("extra", f"holds {key}, which has a place of its own")
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            table.fail("extra", f"holds {key}, whose value is no JSON")
    return dict(extra)


def _read_price(table: Table) -> Price:
    price = table.table("price", ("input", "output", "currency"))
    return Price(
        input=price.number("input", 0.0, most=1e6),
        output=price.number("output", 0.0, most=1e6),
        currency=price.word("currency", r"[A-Z]{3}", "a currency's three letters such as USD", "USD"),
    )


class EveryAttribute(Mapping[str, frozenset[str] | None]):
    """The Follows of a system that is given every attribute of a schema: any key, any value."""

    def __getitem__(self, key: str) -> frozenset[str] | None:
        return None

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def attributes_from_options(options: ChatOptions) -> Follows:
    """The attributes given to a chat system. Whether it follows them is measured by the scores."""
    return EveryAttribute() if options.attributes is None else dict.fromkeys(options.attributes)
