"""The datasheet: the questions of Gebru et al. (Datasheets for Datasets, 2021) in our words, answered from what the
project knows and from what staff wrote. A question that neither answers is marked as a gap.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from epitome.publication.dataset_card import TO_FILL
from epitome.publication.facts import DatasetFacts
from epitome.publication.known_answers import KNOWN_ANSWERS
from epitome.publication.markdown import escape_inline


class Question(NamedTuple):
    key: str
    section: str
    text: str


def _section(name: str, questions: Mapping[str, str]) -> tuple[Question, ...]:
    return tuple(Question(key, name, text) for key, text in questions.items())


QUESTIONS = (
    *_section(
        "Motivation",
        {
            "purpose": "For what purpose was the dataset created, and which gap does it fill?",
            "creators": "Who created it, and on behalf of whom?",
            "funding": "Who paid for its creation?",
        },
    ),
    *_section(
        "Composition",
        {
            "instances": "What is one instance, and of which kinds are there?",
            "counts": "How many instances are there?",
            "sample": "Is it all of something larger or a sample, and how was the sample drawn?",
            "contents": "What does an instance consist of?",
            "labels": "Is there a label or target with each instance?",
            "missing": "What is missing from individual instances, and why?",
            "relations": "Are relations between instances made explicit?",
            "splits": "Are there recommended splits, and how were they made?",
            "known_errors": "Which errors, noise or redundancies are known?",
            "self_contained": "Is it self-contained, or does it rely on other resources?",
            "confidential": "Does it contain confidential data?",
            "offensive": "Does it contain content that may offend, insult or frighten?",
            "subpopulations": "Does it identify groups of people, and how are they distributed?",
            "identifiable": "Can people be identified from it, directly or together with other data?",
            "sensitive": "Does it contain sensitive data about people?",
        },
    ),
    *_section(
        "Collection process",
        {
            "acquisition": "How were the data of each instance acquired?",
            "mechanisms": "With which procedures and tools were they collected, and how were these validated?",
            "collectors": "Who took part in the collection, and how were they paid?",
            "timeframe": "Over which time were they collected?",
            "ethics": "Was there an ethical review?",
            "notice": "Did the people concerned know of the collection and consent to it?",
            "revocation": "Can consent be revoked, and how?",
            "impact": "Was the impact on the people concerned analysed?",
        },
    ),
    *_section(
        "Preprocessing, cleaning, labelling",
        {
            "processing": "What was preprocessed, cleaned or labelled?",
            "raw": "Are the raw data kept as well?",
            "processing_software": "Is the software for it available?",
        },
    ),
    *_section(
        "Uses",
        {
            "used_for": "What has it been used for already?",
            "uses_list": "Where are papers and systems listed that use it?",
            "could_be_used": "What else could it be used for?",
            "risks": "What about it might affect future uses, and how can harm be avoided?",
            "not_for": "For what should it not be used?",
        },
    ),
    *_section(
        "Distribution",
        {
            "distributed_to": "Is it distributed beyond those who made it?",
            "how_distributed": "How is it distributed, and since when?",
            "licence": "Under which licence or terms?",
            "third_parties": "Have others imposed restrictions on the data?",
            "export_controls": "Do export controls or other regulations apply?",
        },
    ),
    *_section(
        "Maintenance",
        {
            "maintainer": "Who maintains it, and how are they reached?",
            "erratum": "Is there a list of errors?",
            "updates": "Will it be updated, how often and by whom?",
            "retention": "Are there limits on how long data about people may be kept?",
            "versions": "Are older versions kept available?",
            "extensions": "How can others extend it?",
        },
    ),
)
QUESTION_KEYS = frozenset(question.key for question in QUESTIONS)


def answer_from_project(key: str, facts: DatasetFacts) -> str:
    """What the project knows about a question; "" for nothing."""
    build: Callable[[DatasetFacts], str] | None = KNOWN_ANSWERS.get(key)
    return build(facts) if build is not None else ""


def list_gaps(facts: DatasetFacts) -> list[Question]:
    """The questions that nobody and nothing answers."""
    answers = facts.description.answers
    return [
        question
        for question in QUESTIONS
        if not answers.get(question.key, "").strip() and not answer_from_project(question.key, facts)
    ]


def render_datasheet(facts: DatasetFacts) -> str:
    """DATASHEET.md."""
    lines = [
        f"# Datasheet of {escape_inline(facts.title)}",
        "The questions follow Gebru et al., *Datasheets for Datasets* (2021). Answers marked as known to the project "
        "were generated from its records; the others were written by its authors.",
    ]
    section = ""
    for question in QUESTIONS:
        if question.section != section:
            section = question.section
            lines.append(f"## {section}")
        lines.append(f"### {question.text}")
        known = answer_from_project(question.key, facts)
        written = facts.description.answers.get(question.key, "").strip()
        if known:
            lines.append(f"Known to the project: {known}")
        if written:
            lines.append(written)
        if not known and not written:
            lines.append(TO_FILL)
    return "\n\n".join(lines) + "\n"
