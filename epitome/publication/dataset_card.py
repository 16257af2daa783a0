"""The dataset card: README.md with the YAML front matter that the Hugging Face hub reads."""

import json
from collections.abc import Iterable
from typing import Any

from epitome.publication.facts import DatasetFacts
from epitome.publication.licences import find_licence
from epitome.publication.markdown import escape_inline, write_table

TO_FILL = "*to be filled in*"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_COLUMN_GUIDE = {
    "id": "the request, `{source_id}#{position}`; several summaries of one request share it",
    "source_id": "the source",
    "origin_id": "the meeting or article that the source is a piece of",
    "title": "title of the summary",
    "summary": "the summary",
    "segments": "the source text: list of speaker and text; null where the text may not be released",
    "relevant_segments": "inclusive pairs of segment numbers that the summary is about, from 0",
    "spans": "marked passages: segment, start and end in code points, half open, and the passage",
    "annotator": "a pseudonym, the same throughout this dataset",
    "extra": "whether the summary was written in addition, because others disagreed; leave it out of agreement",
    "licence": "licence of the source text, as its provider names it",
    "n_words": "words of the source, counted before anything was masked",
    "fields": "further fields as JSON text",
}
_SOURCE_GUIDE = {"id": "the source; `source_id` in the other configuration", "title": "title of the source"}


def build_front_matter(facts: DatasetFacts) -> dict[str, Any]:
    """The metadata of the card by the names of the hub."""
    licence = find_licence(facts.description.licence)
    front: dict[str, Any] = {"pretty_name": facts.title, "language": [facts.language.split("-")[0].lower()]}
    if facts.description.licence:
        front["license"] = licence.hub_name
        if licence.hub_name == "other":
            front["license_name"] = "-".join(facts.description.licence.lower().split())
            front["license_link"] = "README.md"
    front["task_categories"] = ["summarization"]
    front["size_categories"] = [_name_size(facts.n_summaries)]
    front["tags"] = ["controllable-summarization", "croissant"]
    front["configs"] = [
        {
            "config_name": config,
            **({"default": True} if index == 0 else {}),
            "data_files": [{"split": file.split, "path": file.path} for file in facts.list_files(config)],
        }
        for index, config in enumerate(facts.list_configs())
    ]
    return front


def _name_size(n_rows: int) -> str:
    return next((name for limit, name in _SIZES if n_rows < limit), "n>1M")


def write_yaml(value: Any, indent: int = 0) -> str:
    """Mappings, lists, texts, whole numbers and booleans as YAML; texts are quoted as in JSON, which YAML reads."""
    space = "  " * indent
    if isinstance(value, dict):
        return "".join(
            f"{space}{key}:\n{write_yaml(item, indent)}"
            if isinstance(item, list)
            else f"{space}{key}: {json.dumps(item, ensure_ascii=False)}\n"
            for key, item in value.items()
        )
    lines = []
    for item in value:
        if isinstance(item, dict):
            lines.append(f"{space}- {write_yaml(item, indent + 1).lstrip()}")
        else:
            lines.append(f"{space}- {json.dumps(item, ensure_ascii=False)}\n")
    return "".join(lines)


def render_card(facts: DatasetFacts) -> str:
    """README.md."""
    sections = [
        f"# {escape_inline(facts.title)}",
        facts.description.summary or TO_FILL,
        _describe_contents(facts),
        "## Columns\n\n" + "\n\n".join(_describe_columns(facts)),
        _describe_attributes(facts),
        _describe_licences(facts),
        _describe_personal_data(facts),
        _describe_splits(facts),
        _describe_use(facts),
        "## Citation\n\n" + (_fence(facts.description.citation) if facts.description.citation else TO_FILL),
    ]
    front = write_yaml(build_front_matter(facts))
    return f"---\n{front}---\n\n" + "\n\n".join(section for section in sections if section) + "\n"


def _fence(text: str) -> str:
    return f"```\n{text.replace('```', '')}\n```"


def _describe_contents(facts: DatasetFacts) -> str:
    rows = [[file.config, file.split, f"{file.n_rows:,}"] for file in facts.files]
    lines = [
        f"Release `{facts.tag}` of the project `{facts.slug}`, frozen on {facts.published_on}, written with Epitome "
        f"{facts.software}. [DATASHEET.md](DATASHEET.md) says how it came about; `croissant.json` describes it for "
        "machines ([Croissant](https://docs.mlcommons.org/croissant/)).",
        write_table(["Configuration", "Split", "Rows"], rows),
    ]
    people = [
        f"**Authors:** {escape_inline(facts.description.authors) or TO_FILL}",
        f"**Contact:** {escape_inline(facts.description.contact) or TO_FILL}",
    ]
    if facts.description.homepage:
        people.append(f"**Homepage:** {escape_inline(facts.description.homepage)}")
    return "\n\n".join([*lines, *people])


def _describe_columns(facts: DatasetFacts) -> Iterable[str]:
    labels = {f"control_{attribute.key}": attribute.label for attribute in facts.attributes}
    for config in facts.list_configs():
        rows = []
        for name in facts.list_files(config)[0].columns:
            guide = _SOURCE_GUIDE.get(name, "") if config == "sources" else ""
            guide = guide or (f"the requested value of {labels[name]}" if name in labels else _COLUMN_GUIDE[name])
            rows.append([f"`{name}`", guide])
        yield f"### {config}\n\n" + write_table(["Column", "Meaning"], rows)


def _describe_attributes(facts: DatasetFacts) -> str:
    if not facts.attributes:
        return ""
    rows = [
        [f"`control_{item.key}`", item.label, ", ".join(item.values) or "free choice", " ".join(item.guide.split())]
        for item in facts.attributes
    ]
    return "## Control attributes\n\n" + write_table(["Column", "Attribute", "Values", "As annotators read it"], rows)


def _describe_licences(facts: DatasetFacts) -> str:
    rows = [[name or "not named", f"{count:,}"] for name, count in sorted(facts.licences.items())]
    licence = escape_inline(facts.description.licence) or TO_FILL
    lines = ["## Licences", f"**Annotations and summaries:** {licence}", "The sources keep their own licences:"]
    lines.append(write_table(["Licence of the source", "Sources"], rows))
    if facts.n_withheld:
        lines.append(
            f"Without their text: {facts.n_withheld:,} of {facts.n_sources:,}. These may not be released; their ids "
            "are part of the dataset, so that whoever holds the texts can join them."
        )
    return "\n\n".join(lines)


def _describe_personal_data(facts: DatasetFacts) -> str:
    words = {"email": "e-mail addresses", "phone": "phone numbers", "name": "names in titles"}
    rows = [
        [
            words[kind],
            *(f"{decisions.get(name, 0):,}" for name in ("keep", "mask", "leave_out")),
        ]
        for kind, decisions in sorted(facts.hits.items())
    ]
    lines = ["## Personal data"]
    lines.append(
        "All texts were searched by rules for e-mail addresses and phone numbers, titles also for names of people, "
        "and a person decided about each hit. Masked characters are `█`. Rules miss what has no such form."
    )
    lines.append(write_table(["Found", "Kept", "Masked", "Left out"], rows) if rows else "Nothing was found.")
    return "\n\n".join(lines)


def _describe_splits(facts: DatasetFacts) -> str:
    checks = facts.checks
    if not checks:
        return ""
    rows = [
        ["meetings or articles in several splits", f"{checks['crossings']['origins']:,}"],
        ["pairs of equal source texts in different splits", f"{checks['equal_texts']['pairs']:,}"],
        ["pairs of nearly equal source texts in different splits", f"{checks['near_duplicates']['pairs']:,}"],
        ["summaries that stand in several splits word for word", f"{checks['equal_summaries']['texts']:,}"],
    ]
    drawn = f", drawn by origin with the seed {facts.split_seed}" if facts.split_seed is not None else ""
    action = {
        "leave_out": "The rows concerned were left out of every split but the most held-out one "
        "(test before validation before train).",
        "keep": "They were kept.",
    }
    text = action.get(str(checks.get("leaks_decision") or ""), "") if checks["leaks"] else ""
    return (
        f"## Splits\n\nChecked before publication{drawn}:\n\n"
        + write_table(["Check", "Number"], rows)
        + (f"\n\n{text}" if text else "")
    )


def _describe_use(facts: DatasetFacts) -> str:
    config = facts.list_configs()[0] if facts.files else "summaries"
    return f'## Use\n\n```python\nfrom datasets import load_dataset\n\nrows = load_dataset("PATH", "{config}")\n```'
