"""Which fields of bodies and queries name an object, each with a call that gets as far as looking it up.

Every field of text in the OpenAPI document stands here or in WORDS: a new one fails tests/security/test_bodies.py.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.practice.factories import VALUES
from tests.rounds.factories import config


@dataclass(frozen=True)
class Case:
    """call: name and method of the access table. kind: a key of theirs.name_trios. body: the value -> what is sent.

    query: the parameter that carries the value instead. below: the object of the path, a key of name_trios.
    """

    call: tuple[str, str]
    kind: str
    body: Callable[[str], Any] | None = None
    query: str = ""
    below: str = ""
    headers: dict[str, str] = field(default_factory=dict)


def steer(value: str) -> dict[str, Any]:
    return {"kind": "release", "person": value, "expect": 1}


def reassign(value: str) -> dict[str, Any]:
    return {"kind": "reassign", "person": "annotator", "to": value, "expect": 1}


def target(value: str) -> str:
    return config(name="Second", n=1, more=f'[[target]]\nsystem = "{value}"')


def rated_by(value: str) -> str:
    return config(name="Second", n=1, n_raters=1, head=f'raters = ["{value}"]')


PRACTICE = {"values": VALUES, "right": {"length": {"low": 1, "high": 9}}, "reason": "It is short."}
CODES = {"code": "DONE", "code_no_work": "NONE", "code_screened_out": "OUTS"}
LINK = {"name": "raters", "role": "rater", "tasks": 1, **CODES}
WITHDRAWN = {"mask_name": True, "expect": 2}
CASES: dict[tuple[str, str], Case] = {
    ("members_add", "username"): Case(("api-members", "POST"), "person", lambda v: {"username": v, "role": "reviewer"}),
    ("members_remove", "username"): Case(
        ("api-member-removal", "POST"), "person", lambda v: {"username": v, "role": "rater"}
    ),
    ("members_bulk", "usernames[]"): Case(
        ("api-members-bulk", "POST"), "person", lambda v: {"usernames": ["annotator", v], "action": "pause"}
    ),
    ("pilot_candidates_invite", "usernames[]"): Case(
        ("api-pilot-candidates", "POST"), "annotator", lambda v: {"usernames": [v]}
    ),
    ("practice_annotators_decide", "person"): Case(
        ("api-practice-annotators", "POST"), "annotator", lambda v: {"person": v, "do": "let_on"}
    ),
    ("steering_act", "person"): Case(("api-steering", "POST"), "annotator", steer),
    ("steering_act", "to"): Case(("api-steering", "POST"), "annotator", reassign),
    ("steering_preview", "person"): Case(("api-steering-preview", "POST"), "annotator", lambda v: no_count(steer(v))),
    ("steering_preview", "to"): Case(("api-steering-preview", "POST"), "annotator", lambda v: no_count(reassign(v))),
    ("withdrawals_make", "person"): Case(("api-withdrawals", "POST"), "person", lambda v: {"person": v, **WITHDRAWN}),
    ("withdrawals_preview", "person"): Case(
        ("api-withdrawal-preview", "POST"), "person", lambda v: {"person": v, "mask_name": True}
    ),
    ("round_clear", "rater"): Case(
        ("api-round-clearances", "POST"),
        "person",
        lambda v: {"rater": v, "source": OWN["document"], "reason": "agreed"},
    ),
    ("round_clear", "source"): Case(
        ("api-round-clearances", "POST"), "document", lambda v: {"rater": "rater", "source": v, "reason": "agreed"}
    ),
    ("round_outside_remove", "rater"): Case(("api-round-outside-remove", "POST"), "person", lambda v: {"rater": v}),
    ("round_replace", "leaves"): Case(("api-round-raters", "POST"), "person", lambda v: {"leaves": v, "keep": True}),
    ("round_replace", "joins"): Case(
        ("api-round-raters", "POST"), "person", lambda v: {"leaves": "rater", "joins": v, "keep": True}
    ),
    ("round_resume_rater", "rater"): Case(("api-round-rater-resume", "POST"), "person", lambda v: {"rater": v}),
    ("round_judge", "system"): Case(("api-round-judge", "POST"), "system", lambda v: {"system": v}),
    ("round_check", "config"): Case(("api-round-check", "POST"), "system", lambda v: {"config": target(v)}),
    ("round_check", "config: raters"): Case(("api-round-check", "POST"), "person", lambda v: {"config": rated_by(v)}),
    ("construction_start", "system"): Case(
        ("api-construction", "POST"), "system", lambda v: {"step": "summaries", "system": v}
    ),
    ("runs_start", "system"): Case(("api-runs", "POST"), "runnable", lambda v: {"system": v}),
    ("judge_check_draw", "over"): Case(
        ("api-project-judge-check", "POST"), "run", lambda v: {"n": 2, "over": f"run:{v}"}
    ),
    ("projects_change", "suggestions_from"): Case(
        ("api-project", "PATCH"), "run", lambda v: {"assistance": "suggested", "suggestions_from": f"run:{v}"}
    ),
    ("projects_make", "suggestions_from"): Case(
        ("api-projects", "POST"),
        "run",
        lambda v: {"slug": "new", "schema": "macsum-doc", "suggestions_from": f"run:{v}"},
    ),
    ("ranking_lists_make", "release"): Case(("api-ranking-lists", "POST"), "release", lambda v: {"release": v}),
    ("affected_again", "assignments[]"): Case(
        ("api-affected", "POST"), "assignment", lambda v: {"action": "return", "assignments": [v]}
    ),
    ("contrastives_exclude", "ids[]"): Case(
        ("api-contrastives-exclude", "POST"), "example", lambda v: {"ids": [v], "excluded": True}
    ),
    ("publication_hits_decide", "hits[]"): Case(
        ("api-publication-hits", "POST"), "hit", lambda v: {"decision": "mask", "hits": [v]}, below="publication"
    ),
    ("practice_try", "item"): Case(
        ("api-practice-tries", "POST"), "practice", lambda v: {"item": v, "attempt": 1, "answer": {"text": "It met."}}
    ),
    ("practice_items_add", "document"): Case(
        ("api-practice-items", "POST"), "source", lambda v: {"document": v, **PRACTICE}
    ),
    ("pilot_samples_add", "sample"): Case(("api-pilot-samples", "POST"), "sample", lambda v: {"sample": v}),
    ("overlap_mark", "annotation"): Case(
        ("api-overlap", "POST"), "annotation", lambda v: {"choice": "one", "annotation": v}
    ),
    ("documents_prioritise", "priorities"): Case(
        ("api-document-priorities", "POST"), "source", lambda v: {"priorities": {v: 3}}
    ),
    ("crowd_links_make", "target"): Case(("api-crowd-links", "POST"), "round", lambda v: {**LINK, "target": v}),
    ("tables_start", "?run"): Case(("api-tables", "POST"), "run", query="run"),
    ("tables_read", "?run"): Case(("api-tables", "GET"), "run", query="run"),
    ("rankings_read", "?run"): Case(("api-rankings", "GET"), "run", query="run"),
    ("contrastive_report_read", "?run"): Case(("api-contrastive-report", "GET"), "run", query="run"),
    ("export_stream", "?release"): Case(("api-export", "GET"), "release", query="release"),
    ("aggregation_report_read", "?release"): Case(("api-aggregation-report", "GET"), "release", query="release"),
    ("annotations_list", "?source"): Case(("api-annotations", "GET"), "source", query="source"),
    ("annotations_list", "?person"): Case(("api-annotations", "GET"), "annotator", query="person"),
    ("samples_list", "?source"): Case(("api-samples", "GET"), "source", query="source"),
}
OWN: dict[str, str] = {}
"""Names of one's own objects, which the test fills in."""
ALL_ALIKE = {
    "judge_check_draw": "the own run has not finished",
    "projects_change": "the own run has not finished",
    "ranking_lists_make": "the tasks of the project are summaries",
    "affected_again": "no summary is affected by a change of the guideline",
    "crowd_links_make": "the own round is not for a crowd",
    "tables_read": "the own run has not finished",
    "contrastive_report_read": "the own run scores no examples",
    "round_outside_remove": "the round has no outside rater",
    "aggregation_report_read": "the tasks of the project are summaries",
    "rankings_read": "no run of the project ranks",
    "practice_try": "the practice is off",
    "construction_start": "the step asks a chat server, of which the project has none",
    "pilot_samples_add": "the own sample has slots that are taken",
    "tables_start": "a run whose samples are in no release",
    "round_judge": "the own system does not judge",
    "projects_make": "a project that is new has no run",
}
"""Calls that refuse one's own object of the world as well, and why; the others must answer it otherwise."""


WORDS = {
    "round_make": {"config"},  # kept as text; a check and the launch look the names up, see round_check
    "round_change": {"config"},
    "exports_start": {"release"},  # a tag that the export may give
    "round_replace": {"note"},
    "runs_upload": {"system", "name"},  # a name that the upload gives to a system of the project
    "publications_start": {"tag"},  # of a release that it makes
    "systems_register": {"shipped", "toml"},  # weights by path: tests/bridge/test_weights_access.py
    "trainings_start": {"shipped", "toml"},
    "training_groups_start": {"shipped", "toml", "grid[]"},
    "question_answer": {"answer", "question"},
    "assignments_choose": {"chosen", "shown"},  # topics and speakers, which are looked for in the task's own source
    "pilot_samples_add": {"chosen"},
    "judge_check_draw": {"question"},
    "judge_check_label": {"label"},
    "runs_start": {"asks", "over"},
    "samples_list": {"?combination"},
    "jobs_list": {"?kind"},
    "export_stream": {"?shares"},
    "construction_start": {"step"},
    "construction_stop": {"step"},
    "publication_upload": {"repository"},
    "projects_make": {"slug", "schema", "schema_text", "guideline"},
    "imports_start": {"mapping", "summary_metadata"},
    "imports_preview": {"mapping", "summary_metadata"},
    "round_outside_import": {"map"},
}
"""Fields of a call that name nothing that somebody else may have."""
WORDS_ANYWHERE = {
    *(
        "name",
        "text",
        "note",
        "reason",
        "comment",
        "label",
        "file",
        "text_from",
        "language",
        "timezone",
        "pay_currency",
    ),
    *(
        "licence",
        "options",
        "seed",
        "split",
        "split_seed",
        "week",
        "url",
        "toml",
        "since",
        "until",
        "purpose",
        "answers",
    ),
    *("verdicts", "summary", "hash", "statement_hash", "answer", "values", "right", "without[]", "comments[].quote"),
    *("comments[].comment", "code", "code_no_work", "code_screened_out", "id_parameter", "pay_amount", "return_url"),
    *("session_parameter", "study", "study_parameter", "?q", "?split", "?week", "?together", "authorship.page"),
    *("?alone_focus", "?alone_keywords", "?alone_length", "?alone_readability"),
}


def no_count(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "expect"}
