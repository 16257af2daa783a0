"""Answers to questions of the datasheet that the records of a project give."""

from collections.abc import Callable, Mapping

from epitome.publication.facts import DatasetFacts
from epitome.publication.markdown import count_of, escape_inline


def _describe_instances(facts: DatasetFacts) -> str:
    sources = "dialogues" if facts.domain == "dialogue" else "documents"
    if not facts.has_summaries:
        return f"Tasks of the kind `{facts.kind}` over {sources}, each with the answer of an annotator."
    return f"Summaries of {sources}, each written for a request that names values of control attributes."


def _count_instances(facts: DatasetFacts) -> str:
    sizes = ", ".join(f"{file.config}/{file.split}: {file.n_rows:,}" for file in facts.files)
    total = (
        f"{count_of(facts.n_summaries, 'text')} over {count_of(facts.n_sources, 'source')} of "
        f"{count_of(facts.n_words, 'word')}"
    )
    return f"{total} ({sizes})." if sizes else f"{total}."


def _describe_sampling(facts: DatasetFacts) -> str:
    if not facts.samplers:
        return ""
    return "The requests were drawn from the combinations of the attributes by " + ", ".join(facts.samplers) + "."


def _describe_contents(facts: DatasetFacts) -> str:
    return "See the table of columns in README.md."


def _describe_labels(facts: DatasetFacts) -> str:
    if not facts.attributes:
        return ""
    return "The requested values: " + ", ".join(escape_inline(item.label) for item in facts.attributes) + "."


def _describe_missing(facts: DatasetFacts) -> str:
    if not facts.n_withheld:
        return "Every source has its text."
    return f"Withheld texts, which may not be released: {facts.n_withheld:,} of {count_of(facts.n_sources, 'source')}."


def _describe_relations(facts: DatasetFacts) -> str:
    return "`source_id` and `origin_id` join instances of one source and of one meeting or article."


def _describe_splits(facts: DatasetFacts) -> str:
    names = ", ".join(dict.fromkeys(file.split for file in facts.files)) or "Yes"
    if facts.split_seed is not None:
        return f"{names}; drawn by origin with the seed {facts.split_seed}, so that no origin is in two splits."
    return f"{names}; as the sources came with them."


def _describe_errors(facts: DatasetFacts) -> str:
    checks = facts.checks
    if not checks:
        return ""
    return (
        f"Checked before publication: {count_of(checks['near_duplicates']['pairs'], 'pair')} of nearly equal sources "
        f"across splits, {count_of(checks['equal_texts']['pairs'], 'pair')} of equal ones, "
        f"{count_of(checks['crossings']['origins'], 'origin')} in several splits."
    )


def _describe_resources(facts: DatasetFacts) -> str:
    return "Yes." if not facts.n_withheld else "No: the withheld texts must be obtained from their providers."


def _describe_identifiable(facts: DatasetFacts) -> str:
    n_kept = sum(decisions.get("keep", 0) for decisions in facts.hits.values())
    n_masked = sum(decisions.get("mask", 0) + decisions.get("leave_out", 0) for decisions in facts.hits.values())
    return (
        "Annotators appear under pseudonyms. Texts were searched by rules for e-mail addresses, phone numbers and "
        f"names in titles; of the hits {n_masked:,} were masked or left out and {n_kept:,} kept on purpose."
    )


def _describe_acquisition(facts: DatasetFacts) -> str:
    n_written = facts.n_summaries - facts.n_imported
    return f"Written by people for this project: {count_of(n_written, 'text')}; imported: {facts.n_imported:,}."


def _describe_procedures(facts: DatasetFacts) -> str:
    inspected = f" Inspected by reviewers: {count_of(facts.n_inspected, 'text')}." if facts.n_inspected else ""
    versions = f"{facts.n_guideline_versions:,} versions" if facts.n_guideline_versions != 1 else "one version"
    per_request = f" Annotators per request: {facts.overlap:,}." if facts.overlap > 1 else ""
    return f"Written in Epitome {facts.software} under a guideline of {versions}.{per_request}{inspected}"


def _describe_collectors(facts: DatasetFacts) -> str:
    if not facts.n_annotators:
        return ""
    pay = " They were paid by the hour." if facts.pays else ""
    number = (
        "One annotator wrote them." if facts.n_annotators == 1 else f"{facts.n_annotators:,} annotators wrote them."
    )
    return number + pay


def _describe_time(facts: DatasetFacts) -> str:
    return f"From {facts.first_day} to {facts.last_day}." if facts.first_day else ""


def _describe_notice(facts: DatasetFacts) -> str:
    return "Crowd workers agreed to a consent page before they began." if facts.uses_consent else ""


def _describe_revocation(facts: DatasetFacts) -> str:
    done = f" This has been done {facts.n_withdrawals:,} times so far." if facts.n_withdrawals > 1 else ""
    if facts.n_withdrawals == 1:
        done = " This has been done once so far."
    return f"Annotators can withdraw; their texts are then removed from the project and from later releases.{done}"


def _describe_processing(facts: DatasetFacts) -> str:
    masked = sum(decisions.get("mask", 0) for decisions in facts.hits.values())
    left_out = f" Rows left out: {facts.n_left_out:,}." if facts.n_left_out else ""
    return f"Sources are as imported. Places masked by `█`: {masked:,}.{left_out}"


def _describe_raw(facts: DatasetFacts) -> str:
    return f"The project keeps all rows; the release `{facts.tag}` fixes those that this dataset was written from."


def _describe_software(facts: DatasetFacts) -> str:
    return f"Epitome {facts.software}, under the Apache License 2.0."


def _describe_distribution(facts: DatasetFacts) -> str:
    return f"As files; the release was frozen on {facts.published_on}."


def _describe_licence(facts: DatasetFacts) -> str:
    return escape_inline(facts.description.licence)


def _describe_restrictions(facts: DatasetFacts) -> str:
    names = [f"{escape_inline(name) or 'not named'} ({n:,})" for name, n in sorted(facts.licences.items())]
    return "Licences of the source texts: " + ", ".join(names) + "." if names else ""


def _describe_maintainer(facts: DatasetFacts) -> str:
    return escape_inline(facts.description.contact)


def _describe_creators(facts: DatasetFacts) -> str:
    return escape_inline(facts.description.authors)


def _describe_versions(facts: DatasetFacts) -> str:
    return f"This is the release `{facts.tag}`; the project can write any of its releases again."


KNOWN_ANSWERS: Mapping[str, Callable[[DatasetFacts], str]] = {
    "creators": _describe_creators,
    "instances": _describe_instances,
    "counts": _count_instances,
    "sample": _describe_sampling,
    "contents": _describe_contents,
    "labels": _describe_labels,
    "missing": _describe_missing,
    "relations": _describe_relations,
    "splits": _describe_splits,
    "known_errors": _describe_errors,
    "self_contained": _describe_resources,
    "identifiable": _describe_identifiable,
    "acquisition": _describe_acquisition,
    "mechanisms": _describe_procedures,
    "collectors": _describe_collectors,
    "timeframe": _describe_time,
    "notice": _describe_notice,
    "revocation": _describe_revocation,
    "processing": _describe_processing,
    "raw": _describe_raw,
    "processing_software": _describe_software,
    "how_distributed": _describe_distribution,
    "licence": _describe_licence,
    "third_parties": _describe_restrictions,
    "maintainer": _describe_maintainer,
    "versions": _describe_versions,
}
