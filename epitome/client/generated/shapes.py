"""What the API sends and takes, as typed dictionaries. Written by `make client`; do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class AffectedOut(TypedDict):
    id: str
    source_id: str
    username: str
    guideline: int
    state: NotRequired[
        Literal[
            "claimed",
            "submitted",
            "accepted",
            "returned",
            "rejected",
            "skipped",
            "released",
            "expired",
            "surplus",
            "void",
        ]
    ]
    finished_at: NotRequired[str | None]


class AgreementOut(TypedDict):
    value: float | None
    undefined: str


class AnnotationInspections(TypedDict):
    parts: list[InspectionPart]
    open: bool
    reason: str
    inspections: list[InspectionOut]


class AnnotationOut(TypedDict):
    id: str
    sample_id: str | None
    source_id: str | None
    document: str | None
    assignment: str | None
    state: Literal["submitted", "returned", "accepted", "rejected", "surplus", "void", "imported"]
    origin: Literal["person", "import", "restored"]
    revision: int
    annotator: str | None
    username: str | None
    payload: dict[str, Any]
    schema_version: int
    guideline_version: int | None
    assistance: str
    band_shown: dict[str, Any]
    timings: dict[str, Any]
    suggestion: dict[str, Any]
    surplus: bool
    created_at: str


class AnnotatorPracticeOut(TypedDict):
    annotator: str | None
    username: str | None
    state: Literal["not_begun", "in_practice", "below", "passed", "let_on"]
    finished: int
    passed: int


class AnswerOut(TypedDict):
    annotation: str
    revision: int
    payload: dict[str, Any]
    checks: ChecksOut


class AskedLengthOut(TypedDict):
    attribute: str
    value: str
    whole: list[int | None]
    marked: list[int | None] | None


class AttributeOut(TypedDict):
    key: str
    label: str
    code: str
    kind: str
    guide: str
    filled_by: str
    measure: str
    values: list[str]
    value: Any
    value_label: str
    value_guide: str
    value_example: str
    revealed: bool
    band: dict[str, Any] | None
    min: int
    max: int


class BatchOut(TypedDict):
    action: str
    attempts: list[str]
    writers: int
    left: int


class BulkOut(TypedDict):
    id: str
    kind: str
    person: NotRequired[str | None]
    to: NotRequired[str | None]
    since: NotRequired[str | None]
    until: NotRequired[str | None]
    tasks: int
    at: str
    undone_at: NotRequired[str | None]
    restored: NotRequired[int]


class BulkPreviewOut(TypedDict):
    attempts: int
    samples: int
    states: dict[str, int]
    had: int


class CandidateOut(TypedDict):
    kind: str
    text: str
    rank: int
    score: float | None
    mentions: int
    words: int
    extractor: str


class ChangedOut(TypedDict):
    changed: int


class ChangedRunOut(TypedDict):
    id: str
    attribute: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    n_samples: int


class CheckOut(TypedDict):
    can_launch: bool
    faults: list[str]
    warnings: list[str]
    missing: list[dict[str, Any]]
    cells: list[dict[str, Any]]
    power: list[dict[str, Any]]
    preference_power: list[dict[str, Any]]
    needed: dict[str, Any]
    items: int
    judgements: int
    minutes: float
    pay: dict[str, Any] | None
    certainty: dict[str, Any] | None
    extra_ratings: int
    items_per_person: int | None
    people_needed: int | None
    raters: list[str]
    apart: int | None
    hash: str


class CheckTextOut(TypedDict):
    number: int
    of: int
    labelled: int
    text: str
    label: str
    question: str
    labels: list[str]


class CheckedJudgeOut(TypedDict):
    judge: str
    texts: int
    accuracy: float
    ci95: list[float]
    kappa: float | None
    kappa_undefined: str
    confusion: list[ConfusionOut]
    signature: str


class CheckedScoreOut(TypedDict):
    value: float | None
    undefined: str
    signature: str


class ChecksOut(TypedDict):
    words: int
    band: list[int | None] | None
    in_band: Literal["below", "inside", "above"] | Literal[""]
    copied: float
    named: dict[str, NamedOut]
    segments: int
    spans: int
    title: bool
    minutes: float | None
    wall: bool
    scores: dict[str, CheckedScoreOut]
    alike: float | None
    marked_alike: float | None
    apart: dict[str, float]


class ChiSquareOut(TypedDict):
    statistic: float | None
    df: int
    p: float | None
    against: str
    undefined: str


class ComparedOut(TypedDict):
    id: str
    sample_id: str
    summaries: int
    agreement: dict[str, AgreementOut]
    mark: MarkOut | None
    answers: list[OverlapAnswerOut]


class ComparisonOut(TypedDict):
    question: str
    first: str
    second: str
    null: float
    level: float
    met_at: int | None
    looks: list[LookOut]


class ConfusionOut(TypedDict):
    by_hand: str
    by_judge: str
    texts: int


class ConsentOut(TypedDict):
    number: int
    purpose: str
    text: str
    created_at: str
    agreed: NotRequired[int]


class ConstructionOut(TypedDict):
    steps: list[StepOut]
    tables: list[dict[str, Any]]


class ContrastiveOut(TypedDict):
    id: str
    sample_id: str
    gold_id: str
    rule: str
    text: str
    edits: list[EditOut]
    from_source: dict[str, int] | None
    seed: NotRequired[int | None]
    generator: str
    state: NotRequired[Literal["active", "excluded", "withdrawn"]]
    created_at: str


class ContrastiveReportOut(TypedDict):
    tables: list[dict[str, Any]]
    worst: list[WorstOfRunOut]


class ContrastiveSetOut(TypedDict):
    id: str
    origin: Literal["made", "import"]
    options: dict[str, Any]
    generator: str
    parser: NotRequired[str]
    file_name: NotRequired[str]
    golds: NotRequired[int]
    examples: NotRequired[int]
    counts: dict[str, Any]
    made_by: NotRequired[str | None]
    created_at: str
    finished_at: NotRequired[str | None]
    replaced_at: NotRequired[str | None]


class CrowdLinkMade(TypedDict):
    id: str
    name: str
    max_uses: int
    uses: NotRequired[int]
    expires_at: str
    revoked_at: NotRequired[str | None]
    created_at: str
    tasks: int
    id_parameter: NotRequired[str]
    study_parameter: NotRequired[str]
    session_parameter: NotRequired[str]
    study: NotRequired[str]
    signed: NotRequired[bool]
    code: str
    return_url: NotRequired[str]
    role: NotRequired[str]
    code_screened_out: NotRequired[str]
    code_no_work: NotRequired[str]
    pay_amount: NotRequired[str | None]
    pay_currency: NotRequired[str]
    url: str
    signing_key: str


class CrowdLinkOut(TypedDict):
    id: str
    name: str
    max_uses: int
    uses: NotRequired[int]
    expires_at: str
    revoked_at: NotRequired[str | None]
    created_at: str
    tasks: int
    id_parameter: NotRequired[str]
    study_parameter: NotRequired[str]
    session_parameter: NotRequired[str]
    study: NotRequired[str]
    signed: NotRequired[bool]
    code: str
    return_url: NotRequired[str]
    role: NotRequired[str]
    code_screened_out: NotRequired[str]
    code_no_work: NotRequired[str]
    pay_amount: NotRequired[str | None]
    pay_currency: NotRequired[str]


class CrowdWorkerOut(TypedDict):
    external_id: str
    username: str
    link: str
    study: NotRequired[str]
    session: NotRequired[str]
    first_at: str
    last_at: str
    completed_at: NotRequired[str | None]
    outcome: NotRequired[Literal["complete", "screened_out", "no_work"] | Literal[""]]
    consent_due: NotRequired[bool]


class CurvePointOut(TypedDict):
    step: int
    score: float


class DatasetReleaseOut(TypedDict):
    id: str
    tag: str
    filters: NotRequired[Any]
    split_seed: NotRequired[int | None]
    content_hash: NotRequired[str]
    created_at: str
    withdrawals: list[dict[str, Any]]


class DescriptionIn(TypedDict):
    title: NotRequired[str]
    summary: NotRequired[str]
    authors: NotRequired[str]
    licence: NotRequired[str]
    contact: NotRequired[str]
    homepage: NotRequired[str]
    citation: NotRequired[str]
    answers: NotRequired[dict[str, str]]


class DocumentDetailOut(TypedDict):
    id: str
    external_id: str
    origin_id: str
    title: NotRequired[str]
    split: NotRequired[str]
    licence: NotRequired[str]
    may_release_text: NotRequired[bool]
    n_segments: int
    n_words: int
    n_tokens: NotRequired[int | None]
    selected: NotRequired[bool]
    damaged: NotRequired[bool]
    priority: NotRequired[int]
    extractor: NotRequired[str]
    created_at: str
    damaged_reason: str
    metadata: dict[str, Any]
    segments: list[Segment]
    candidates: list[CandidateOut]


class DocumentOut(TypedDict):
    id: str
    external_id: str
    origin_id: str
    title: NotRequired[str]
    split: NotRequired[str]
    licence: NotRequired[str]
    may_release_text: NotRequired[bool]
    n_segments: int
    n_words: int
    n_tokens: NotRequired[int | None]
    selected: NotRequired[bool]
    damaged: NotRequired[bool]
    priority: NotRequired[int]
    extractor: NotRequired[str]
    created_at: str


class DraftOut(TypedDict):
    revision: int
    saved_at: str
    state: str


class DrawOut(TypedDict):
    id: str
    options: dict[str, Any]
    most_samples: NotRequired[int | None]
    sources_served: NotRequired[int]
    groups_stored: NotRequired[int]
    samples_stored: NotRequired[int]
    sources_left: NotRequired[int]
    drawn_by: NotRequired[str | None]
    created_at: str
    finished_at: NotRequired[str | None]
    undone_at: NotRequired[str | None]


class DrawWarningOut(TypedDict):
    kind: Literal["few-pairs", "no-topic", "short-length"]
    n: int
    attribute: str
    value: str


class DryRunOut(TypedDict):
    sampler: str
    seed: int
    sources: int
    groups: int
    samples: int
    overlap: int
    summaries: int
    samples_by_writers: dict[str, int]
    minutes_per_summary: float
    hours: float
    values: dict[str, dict[str, int]]
    combinations: dict[str, int]
    chi_square: dict[str, ChiSquareOut]
    pairs: dict[str, int]
    no_topic: int
    median_words: int
    segment_words: float
    asked_lengths: list[AskedLengthOut]
    warnings: list[DrawWarningOut]
    sources_by_samples: dict[str, int]
    most_samples: int | None
    left_sources: int
    left_samples: int
    pay: float | None
    currency: str


class EditOut(TypedDict):
    start: int
    end: int
    was: str
    now: str


class EstimateOut(TypedDict):
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    currency: str


class ExclusionsOut(TypedDict):
    changed: int


class ExtraRatingsOut(TypedDict):
    disagreeing: int
    requested: int


class FrozenOut(TypedDict):
    frozen_at: str | None


class FunnelOut(TypedDict):
    instances: int
    annotations: int
    people: int
    not_aggregatable: int
    removed: dict[str, int]
    kept_instances: int
    kept_annotations: int
    kept_people: int
    contents: dict[str, Any]
    agreement: dict[str, Any]


class GateOut(TypedDict):
    open: bool
    asks: bool
    version: int
    change: str
    note: str
    confirmed: int | None
    consent: bool | None
    examples: list[str]
    statement: str
    statement_hash: str
    guideline: str


class GroupMemberOut(TypedDict):
    label: str
    best: float | None
    dev: list[CurvePointOut]
    training: TrainingOut


class GuidelineOut(TypedDict):
    number: int
    text: str
    change: str
    note: str
    created_at: str


class HeartbeatOut(TypedDict):
    lease_until: str


class HitDecisionsOut(TypedDict):
    changed: int


class ImportPreviewOut(TypedDict):
    format: str
    columns: list[str]
    encoding: str
    mapping: dict[str, str]
    row_ids: bool
    summary_lists: str
    layout: str
    doubts: list[dict[str, Any]]
    rows: list[dict[str, Any]]
    sources: list[str]
    read_as: list[dict[str, Any]]
    counts: dict[str, Any]
    notes: list[str]
    faults: list[str]


class InspectionDrawn(TypedDict):
    week: str
    added: int


class InspectionOut(TypedDict):
    id: str
    annotation: str
    revision: int
    second: bool
    own: bool
    verdict: Literal["accept", "revise", "reject"]
    verdicts: dict[str, PartIn]
    comments: list[OnTextIn]
    comment: str
    seconds: float | None
    created_at: str


class InspectionPart(TypedDict):
    key: str
    label: str
    value: Any


class InstructionsOut(TypedDict):
    hash: str
    read: bool
    next_step: str
    intro: str
    definitions: list[dict[str, Any]]
    examples: list[dict[str, Any]]


class InterimOut(TypedDict):
    state: str
    rule: str
    width: float | None
    sources: int
    max_sources: int
    ratings: int
    met_at: int | None
    expected_at: int | None
    expected_day: str | None
    currency: str
    pay: float | None
    expected_pay: float | None
    comparisons: list[ComparisonOut]


class InvitationMade(TypedDict):
    id: str
    name: str
    max_uses: int
    uses: NotRequired[int]
    expires_at: str
    revoked_at: NotRequired[str | None]
    created_at: str
    roles: list[Literal["annotator", "rater", "reviewer", "researcher", "admin"]]
    url: str


class InvitationOut(TypedDict):
    id: str
    name: str
    max_uses: int
    uses: NotRequired[int]
    expires_at: str
    revoked_at: NotRequired[str | None]
    created_at: str
    roles: list[Literal["annotator", "rater", "reviewer", "researcher", "admin"]]


class InvitedOut(TypedDict):
    invited: int


class ItemOut(TypedDict):
    id: str
    state: str
    page: str
    round: ItemRound
    form: str
    progress: ItemProgress
    source: dict[str, Any] | None
    request: list[dict[str, Any]]
    reference: str | None
    metadata: list[dict[str, Any]]
    summaries: list[dict[str, Any]]
    entities: list[dict[str, Any]]
    context: list[str]
    marks: list[dict[str, Any]]
    one_by_one: bool
    questions: list[dict[str, Any]]
    revision: int
    payload: dict[str, Any]


class ItemProgress(TypedDict):
    number: int
    done: int
    all: int | None


class ItemRound(TypedDict):
    id: str
    title: str
    open: bool


class JobDetailOut(TypedDict):
    id: str
    kind: str
    project: str
    state: NotRequired[Literal["queued", "running", "done", "failed", "dead", "cancelled"]]
    attempts: NotRequired[int]
    max_attempts: NotRequired[int]
    progress_done: NotRequired[int]
    progress_total: NotRequired[int | None]
    progress_note: NotRequired[str]
    error: NotRequired[str]
    created_at: str
    started_at: NotRequired[str | None]
    finished_at: NotRequired[str | None]
    result: dict[str, Any]
    faults: list[dict[str, Any]]
    download_url: str | None


class JobOut(TypedDict):
    id: str
    kind: str
    project: str
    state: NotRequired[Literal["queued", "running", "done", "failed", "dead", "cancelled"]]
    attempts: NotRequired[int]
    max_attempts: NotRequired[int]
    progress_done: NotRequired[int]
    progress_total: NotRequired[int | None]
    progress_note: NotRequired[str]
    error: NotRequired[str]
    created_at: str
    started_at: NotRequired[str | None]
    finished_at: NotRequired[str | None]


class JobStarted(TypedDict):
    id: str
    status_url: str


class JudgeCheckOut(TypedDict):
    id: str
    texts: int


class JudgedOut(TypedDict):
    revision: int
    saved_at: str
    state: str
    next: NotRequired[ItemOut | None]
    reason: NotRequired[str]


class JudgementIn(TypedDict):
    answer: str
    unsure: NotRequired[bool]
    why: NotRequired[str]


class ListsOut(TypedDict):
    release: str
    splits: list[SplitOut]


class LookOut(TypedDict):
    place: int
    ratings: int
    mean: float
    low: float
    high: float
    evidence: float
    decided: bool


class MarkOut(TypedDict):
    id: str
    choice: Literal["one", "all"]
    annotation: NotRequired[str | None]
    note: str
    by: str
    at: str


class MemberOut(TypedDict):
    username: str
    role: Literal["annotator", "rater", "reviewer", "researcher", "admin"]
    created_at: str


class MeterValue(TypedDict):
    value: float | None
    undefined: str
    signature: str


class MetersOut(TypedDict):
    id: str
    state: Literal["pending", "done", "failed"]
    revision: int
    values: dict[str, MeterValue] | None
    detail: str


class MetersStarted(TypedDict):
    id: str
    status_url: str
    revision: int


class MetricOut(TypedDict):
    step: int
    split: str
    values: dict[str, Any]


class NamedOut(TypedDict):
    asked: list[str]
    named: list[str]


class NoteOut(TypedDict):
    id: str
    text: str
    with_skip: NotRequired[bool]
    written_at: str
    assignment: str
    sample: NotRequired[str | None]
    annotator: str
    state: NotRequired[Literal["new", "read", "released", "hidden"]]
    decided_at: NotRequired[str | None]


class OnTextIn(TypedDict):
    start: int
    end: int
    quote: str
    comment: str


class OneCandidateOut(TypedDict):
    id: str
    annotator: str | None
    username: str | None
    state: Literal["invited", "in_pilot", "submitted", "qualified", "rejected"]
    done: int
    skipped: int
    total: int
    reason: str
    invited_at: str
    decided_at: str | None
    decisions: list[dict[str, Any]]


class OneRoundOut(TypedDict):
    id: str
    number: int
    name: str
    template: str
    form: str
    state: str
    seed: int
    raters_per_item: int
    n_items: NotRequired[int]
    apart: NotRequired[int]
    config: str
    config_hash: str
    items_hash: NotRequired[str]
    created_at: str
    launched_at: NotRequired[str | None]
    closed_at: NotRequired[str | None]
    unblinded_at: NotRequired[str | None]
    design: Any
    progress: ProgressOut
    paused_raters: list[PausedRaterOut]


class OutputOut(TypedDict):
    id: str
    run: str
    system: str
    revision: int
    sample: str
    sample_id: str
    position: int
    state: Literal["waiting", "leased", "done", "failed"]
    attempts: NotRequired[int]
    text: NotRequired[str]
    told: NotRequired[Any]
    prompt: NotRequired[str]
    decoding: NotRequired[Any]
    seed: NotRequired[int | None]
    weights: NotRequired[str]
    versions: NotRequired[Any]
    truncated: NotRequired[int]
    seconds: NotRequired[float]
    usage: NotRequired[Any]
    candidates: NotRequired[Any]
    scores: NotRequired[Any]
    flags: NotRequired[Any]
    error: NotRequired[str]
    finished_at: NotRequired[str | None]


class OutsideAnswersOut(TypedDict):
    dry_run: bool
    tools: list[str]
    judgments: int
    raters: int
    items: int
    ratings: int
    marks: int
    other_answers: int
    notes: int
    already_imported: int
    changed: int
    words: list[OutsideWordOut]
    left_out: list[OutsideLeftOut]
    differences: list[str]
    faults: list[str]


class OutsideLeftOut(TypedDict):
    reason: str
    word: str
    n: int
    text: str


class OutsideRaterOut(TypedDict):
    rater: str
    tool: str
    items: int


class OutsideRatersOut(TypedDict):
    raters: list[OutsideRaterOut]


class OutsideWordOut(TypedDict):
    word: str
    n: int
    becomes: str | None
    may_become: list[str]


class OverlapAnswerOut(TypedDict):
    annotation: str
    revision: int
    payload: dict[str, Any]
    checks: ChecksOut
    annotator: str
    state: str
    marked: bool
    verdicts: list[str]


class OverlapOut(TypedDict):
    id: str
    sample_id: str
    summaries: int


class OwnItemOut(TypedDict):
    id: str
    values: dict[str, Any]
    document: str
    segments: list[dict[str, Any]]
    asks: dict[str, Any]
    passed: bool
    finished: bool
    tries: list[PracticeTryOut]
    right: dict[str, Any] | None


class OwnNoteOut(TypedDict):
    id: str
    text: str
    with_skip: NotRequired[bool]
    written_at: str


class OwnRoundOut(TypedDict):
    id: str
    title: str
    project: str
    open: bool
    done: int
    next_step: str


class PartIn(TypedDict):
    verdict: Literal["accept", "revise", "reject"]
    comment: NotRequired[str]


class PausedMemberOut(TypedDict):
    username: str
    paused_at: str
    note: str
    rule: Any
    reason: str


class PausedRaterOut(TypedDict):
    rater: str
    paused_at: str
    rule: Any
    reason: str


class PausesOut(TypedDict):
    paused: list[PausedMemberOut]
    would_pause: list[WouldPauseOut]


class PayloadIn(TypedDict):
    answers: dict[str, JudgementIn]
    note: NotRequired[str]


class PieceOut(TypedDict):
    kind: Literal["same", "added", "removed", "gap"]
    text: str


class PilotAnswerOut(TypedDict):
    candidate: str
    annotator: str
    state: str
    skip_reason: str
    answer: AnswerOut | None


class PilotCandidateOut(TypedDict):
    id: str
    annotator: str | None
    username: str | None
    state: Literal["invited", "in_pilot", "submitted", "qualified", "rejected"]
    done: int
    skipped: int
    total: int
    reason: str
    invited_at: str
    decided_at: str | None


class PilotComparedOut(TypedDict):
    id: str
    sample_id: str
    origin: str
    attributes: dict[str, Any]
    answers: list[PilotAnswerOut]


class PilotOut(TypedDict):
    on: bool
    begun: bool
    samples: list[PilotSampleOut]


class PilotSampleOut(TypedDict):
    id: str
    sample_id: str
    origin: str
    attributes: dict[str, Any]


class PlannedContrastives(TypedDict):
    golds: int
    drawn: int
    remaining: int
    tried: int
    estimated: int
    per_gold: float | None
    expected: int | None
    quotas: dict[str, int]
    shares: dict[str, dict[str, float]]
    rules: dict[str, dict[str, int]]


class PracticeItemOut(TypedDict):
    id: str
    number: int
    version: int
    document: str
    values: dict[str, Any]
    right: dict[str, Any]
    reason: str


class PracticeOut(TypedDict):
    on: bool
    state: Literal["not_begun", "in_practice", "below", "passed", "let_on"]
    share: float
    items: list[OwnItemOut]


class PracticeSetupOut(TypedDict):
    on: bool
    share: float
    items: list[PracticeItemOut]


class PracticeTryOut(TypedDict):
    attempt: int
    answer: dict[str, Any]
    passed: bool
    faults: list[str]
    reason: str


class PresetOut(TypedDict):
    key: str
    name: str
    config: str


class PrioritiesOut(TypedDict):
    changed: int


class ProgressOut(TypedDict):
    places: int
    filled: int
    taken: int


class ProjectOut(TypedDict):
    id: str
    slug: str
    name: str
    kind: NotRequired[str]
    domain: Literal["document", "dialogue"]
    preset: str
    language: NotRequired[str]
    timezone: NotRequired[str]
    overlap: NotRequired[int]
    claim_unit: NotRequired[Literal["sample", "group", "source"]]
    phases: NotRequired[Literal["one-page", "two"]]
    assistance: NotRequired[Literal["minimal", "full", "suggested", "randomised", "randomised-3"]]
    suggestions_from: NotRequired[str]
    lease_minutes: NotRequired[int]
    skip_limit: NotRequired[int]
    notes_to_next: NotRequired[Literal["never", "released"]]
    extra_below: NotRequired[float | None]
    extra_measure: NotRequired[Literal["segments_f1", "words_f1", "rouge_l"]]
    extra_most: NotRequired[int]
    pause_after_returned: NotRequired[int | None]
    pause_accepted_below: NotRequired[float | None]
    pause_seconds_below: NotRequired[int | None]
    pause_window: NotRequired[int]
    summary_minutes: NotRequired[float]
    pay_per_hour: NotRequired[float | None]
    pay_currency: NotRequired[str]
    created_at: str


class PublicationHitOut(TypedDict):
    id: str
    kind: Literal["email", "phone", "name"]
    source_id: str
    sample_key: NotRequired[str]
    field: Literal["title", "speaker", "segment", "text", "fields"]
    segment: NotRequired[int]
    start: int
    end: int
    decision: NotRequired[Literal["keep", "mask", "leave_out"] | Literal[""]]


class PublicationLineOut(TypedDict):
    id: str
    tag: str
    choices: NotRequired[Any]
    checked_at: NotRequired[str | None]
    created_at: str


class PublicationOut(TypedDict):
    id: str
    tag: str
    description: NotRequired[Any]
    choices: NotRequired[Any]
    checks: dict[str, Any]
    checked_at: NotRequired[str | None]
    created_at: str
    hits: int
    undecided: int
    obstacles: list[str]
    gaps: list[str]


class QuestionOut(TypedDict):
    id: str
    assignment: str
    asker: str
    text: str
    asked_at: str
    kind: str
    answer: NotRequired[str]
    answered_at: NotRequired[str | None]


class QueueRowOut(TypedDict):
    annotation: str
    sample_id: str
    annotator: str | None
    week: str
    second: bool
    reason: Literal["drawn", "full"]
    inspected: bool
    open: bool


class RankTablesOut(TypedDict):
    release: str
    split: Literal["train", "dev", "test"]
    tables: list[dict[str, Any]]


class RatersOut(TypedDict):
    rater: str | None


class ReasonOut(TypedDict):
    error: str
    n: int


class RegisteredOut(TypedDict):
    system: str
    key: str
    id: str
    number: int
    kind: str
    role: Literal["generate", "rank", "score", "transform", "judge"]
    config_hash: str
    created_at: str
    config: str
    warm_workers: list[str]


class ReleaseOut(TypedDict):
    state: str


class ReleasesOut(TypedDict):
    releases: list[ListsOut]


class ReportOut(TypedDict):
    computed_at: str | None
    stale: bool
    methods: str
    judgements: int
    tables: list[dict[str, Any]]


class RevisionDetailOut(TypedDict):
    id: str
    number: int
    kind: str
    role: Literal["generate", "rank", "score", "transform", "judge"]
    config_hash: str
    created_at: str
    config: str
    warm_workers: list[str]


class RevisionOut(TypedDict):
    id: str
    number: int
    kind: str
    role: Literal["generate", "rank", "score", "transform", "judge"]
    config_hash: str
    created_at: str


class RewriteOut(TypedDict):
    id: str
    step: str
    document: str
    call: Literal["readability", "identification", "paraphrase"]
    subject: str
    attempt: NotRequired[int]
    state: Literal["waiting", "leased", "done", "retried", "failed"]
    text: str
    raw_answer: NotRequired[str]
    texts: NotRequired[Any]
    error: NotRequired[str]
    prompt_hash: NotRequired[str]
    interrupted: NotRequired[int]
    usage: NotRequired[Any]
    cost: NotRequired[float]
    versions: NotRequired[Any]
    decoding: NotRequired[Any]
    seed: NotRequired[int]
    finished_at: NotRequired[str | None]


class RoundOut(TypedDict):
    id: str
    number: int
    name: str
    template: str
    form: str
    state: str
    seed: int
    raters_per_item: int
    n_items: NotRequired[int]
    apart: NotRequired[int]
    config: str
    config_hash: str
    items_hash: NotRequired[str]
    created_at: str
    launched_at: NotRequired[str | None]
    closed_at: NotRequired[str | None]
    unblinded_at: NotRequired[str | None]


class RoundTemplateOut(TypedDict):
    id: str
    key: str
    name: str
    toml: str
    hash: str
    changed_at: str


class RulingOut(TypedDict):
    id: str
    question: str
    answer: str
    guideline: int
    made_at: str


class RunDetailOut(TypedDict):
    id: str
    status_url: str
    system: str
    revision: int
    kind: str
    label: NotRequired[str]
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    split: NotRequired[str]
    asks: NotRequired[str]
    seed: int
    n_samples: int
    over: NotRequired[str]
    options: NotRequired[Any]
    budget: NotRequired[float | None]
    left_out: NotRequired[Any]
    error: NotRequired[str]
    created_at: str
    started_at: NotRequired[str | None]
    finished_at: NotRequired[str | None]
    progress: RunProgressOut
    workers: list[WorkerMeterOut]


class RunOut(TypedDict):
    id: str
    status_url: str
    system: str
    revision: int
    kind: str
    label: NotRequired[str]
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    split: NotRequired[str]
    asks: NotRequired[str]
    seed: int
    n_samples: int
    over: NotRequired[str]
    options: NotRequired[Any]
    budget: NotRequired[float | None]
    left_out: NotRequired[Any]
    error: NotRequired[str]
    created_at: str
    started_at: NotRequired[str | None]
    finished_at: NotRequired[str | None]


class RunProgressOut(TypedDict):
    total: int
    done: int
    failed: int
    waiting: int
    in_work: int
    flagged: int
    truncated: int
    rate: float | None
    seconds: float
    cost: float
    tokens_in: int
    tokens_out: int
    errors: list[ReasonOut]


class SampleOut(TypedDict):
    id: str
    sample_id: str
    source_id: str
    group: int
    position: int
    attributes: dict[str, Any]
    combination: str
    seed: NotRequired[int | None]
    sampler: str
    state: NotRequired[Literal["active", "void", "pilot"]]


class SampleOutputOut(TypedDict):
    id: str
    run: str
    system: str
    revision: int
    sample: str
    sample_id: str
    position: int
    state: Literal["waiting", "leased", "done", "failed"]
    attempts: NotRequired[int]
    text: NotRequired[str]
    told: NotRequired[Any]
    prompt: NotRequired[str]
    decoding: NotRequired[Any]
    seed: NotRequired[int | None]
    weights: NotRequired[str]
    versions: NotRequired[Any]
    truncated: NotRequired[int]
    seconds: NotRequired[float]
    usage: NotRequired[Any]
    candidates: NotRequired[Any]
    scores: NotRequired[Any]
    flags: NotRequired[Any]
    error: NotRequired[str]
    finished_at: NotRequired[str | None]
    metrics: dict[str, dict[str, Any]]


class SavedOut(TypedDict):
    revision: int
    saved_at: str
    state: str


class SchemaAttributeOut(TypedDict):
    key: str
    label: str
    code: str
    kind: str
    values: list[str]
    filled_by: str
    question: str


class SchemaOut(TypedDict):
    number: int
    text: str
    content_hash: str
    attributes: list[SchemaAttributeOut]
    created_at: str


class ScoreOut(TypedDict):
    measure: str
    value: float | None
    undefined: str
    signature: str


class ScoresOut(TypedDict):
    annotation: str
    profile: str
    eps_policy: str
    scores: list[ScoreOut]


class SecretMade(TypedDict):
    secret: str


class Segment(TypedDict):
    speaker: str
    text: str
    before: NotRequired[str]
    after: NotRequired[str]


class SegmentOut(TypedDict):
    speaker: str | None
    text: str


class SelectionMadeOut(TypedDict):
    n: int
    seed: int
    algorithm: str
    ids_hash: str
    created_at: str
    chosen: list[str]


class SelectionOut(TypedDict):
    n: int
    seed: int
    algorithm: str
    ids_hash: str
    created_at: str


class ShownSampleOut(TypedDict):
    sample_id: str
    values: dict[str, Any]
    reference: str
    texts: list[ShownTextOut]


class ShownTextOut(TypedDict):
    step: int
    text: str


class SkipOut(TypedDict):
    next: str | None


class SplitOut(TypedDict):
    split: Literal["train", "dev", "test"]
    lists: int
    candidates: int
    golds: int
    unseen: int


class StatisticsOut(TypedDict):
    computed_at: str | None
    stale: bool
    splits: list[str]
    summaries: int
    sources: int
    unmeasured: int
    missing: dict[str, int]
    flags: list[str]
    tables: list[dict[str, Any]]


class StepErrorOut(TypedDict):
    error: str
    n: int


class StepOut(TypedDict):
    key: str
    title: str
    asks: bool
    state: str
    needs: list[str]
    system: str
    done: int
    failed: int
    open: int
    retried: int
    interrupted: int
    tokens_in: int
    tokens_out: int
    cost: float
    currency: str
    stored: int
    seed: int
    options: dict[str, Any]
    result: dict[str, Any]
    error: str
    errors: list[StepErrorOut]


class StudiesOut(TypedDict):
    studies: list[StudyOut]


class StudyOut(TypedDict):
    n: int
    seed: int
    ended: bool
    runs: list[ChangedRunOut]
    tables: list[dict[str, Any]]


class SubmitOut(TypedDict):
    id: str
    assignment: str
    revision: int
    state: Literal["submitted", "surplus"]
    next: str | None
    task: NotRequired[TaskOut | None]


class SystemDetailOut(TypedDict):
    id: str
    key: str
    name: str
    created_at: str
    revisions: list[RevisionDetailOut]


class SystemOut(TypedDict):
    id: str
    key: str
    name: str
    created_at: str
    revisions: list[RevisionOut]


class TablesOut(TypedDict):
    runs: list[str]
    state: Literal["done", "queued", "running"]
    stale: bool
    computed_at: str | None
    job: JobStarted | None
    tables: list[dict[str, Any]]


class TaskDocument(TypedDict):
    id: str
    external_id: str
    title: str
    n_words: int
    segments: list[SegmentOut]


class TaskDraft(TypedDict):
    revision: int
    payload: dict[str, Any]
    updated_at: str | None


class TaskGroup(TypedDict):
    id: str
    frozen: bool
    asks: list[str]
    chosen: dict[str, list[str]]


class TaskGuideline(TypedDict):
    number: int


class TaskNotesOut(TypedDict):
    own: list[OwnNoteOut]
    earlier: list[str]


class TaskOut(TypedDict):
    id: str
    state: str
    kind: Literal["aggregation", "choosing", "summary"]
    lease_until: str
    page: str
    project: TaskProject
    pilot: bool
    unit: TaskUnit
    document: TaskDocument
    group: TaskGroup
    attributes: list[AttributeOut]
    candidates: dict[str, list[dict[str, Any]]]
    draft: TaskDraft
    assistance: str
    suggestion: dict[str, Any] | None
    guideline: TaskGuideline
    sample: Any
    subject: NotRequired[dict[str, Any] | None]


class TaskProject(TypedDict):
    slug: str
    name: str
    domain: str


class TaskUnit(TypedDict):
    index: int
    count: int
    assignments: list[TaskUnitPart]


class TaskUnitPart(TypedDict):
    id: str
    state: str


class TemplateCheckOut(TypedDict):
    key: str
    name: str
    form: str
    shows: list[str]
    per_attribute: str
    questions: list[dict[str, Any]]


class TokenMade(TypedDict):
    id: str
    name: str
    scope: NotRequired[Literal["read", "write"]]
    created_at: str
    expires_at: str
    revoked_at: NotRequired[str | None]
    last_used_at: NotRequired[str | None]
    token: str


class TokenOut(TypedDict):
    id: str
    name: str
    scope: NotRequired[Literal["read", "write"]]
    created_at: str
    expires_at: str
    revoked_at: NotRequired[str | None]
    last_used_at: NotRequired[str | None]


class TrainingDetailOut(TypedDict):
    id: str
    status_url: str
    key: str
    name: str
    method: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    step: NotRequired[int]
    steps: NotRequired[int]
    best: NotRequired[Any]
    group: NotRequired[str | None]
    changes: NotRequired[Any]
    system: NotRequired[str | None]
    revision: NotRequired[int | None]
    config_hash: str
    error: NotRequired[str]
    created_at: str
    started_at: NotRequired[str | None]
    finished_at: NotRequired[str | None]
    config: str
    result: NotRequired[Any]
    metrics: list[MetricOut]
    shown_samples: list[ShownSampleOut]


class TrainingGroupDetailOut(TypedDict):
    id: str
    status_url: str
    key: str
    name: str
    axes: Any
    created_at: str
    winner: str | None
    members: list[GroupMemberOut]


class TrainingGroupOut(TypedDict):
    id: str
    status_url: str
    key: str
    name: str
    axes: Any
    created_at: str


class TrainingOut(TypedDict):
    id: str
    status_url: str
    key: str
    name: str
    method: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    step: NotRequired[int]
    steps: NotRequired[int]
    best: NotRequired[Any]
    group: NotRequired[str | None]
    changes: NotRequired[Any]
    system: NotRequired[str | None]
    revision: NotRequired[int | None]
    config_hash: str
    error: NotRequired[str]
    created_at: str
    started_at: NotRequired[str | None]
    finished_at: NotRequired[str | None]


class UndoneDrawOut(TypedDict):
    samples: int
    groups: int
    slots: int


class UndoneOut(TypedDict):
    restored: int


class ValidityOut(TypedDict):
    question: str
    published_accuracy: float | None
    labelled: int
    unsure: int
    tied: int
    people: int
    labelled_by_several: int
    agreed: int
    judges: list[CheckedJudgeOut]


class VerdictOut(TypedDict):
    aspect: str
    verdict: str


class WebhookDeliveryOut(TypedDict):
    id: str
    event: str
    state: NotRequired[Literal["waiting", "delivered", "failed"]]
    attempts: NotRequired[int]
    created_at: str
    sent_at: NotRequired[str | None]
    due_at: str
    status_code: NotRequired[int | None]
    error: NotRequired[str]
    answer: NotRequired[str]


class WebhookMade(TypedDict):
    id: str
    url: str
    events: list[str]
    paused_at: NotRequired[str | None]
    failures: int
    created_at: str
    secret: str


class WebhookOut(TypedDict):
    id: str
    url: str
    events: list[str]
    paused_at: NotRequired[str | None]
    failures: int
    created_at: str


class WithdrawalOut(TypedDict):
    id: str
    person: str
    remove_texts: NotRequired[bool]
    mask_name: NotRequired[bool]
    leave_out: NotRequired[bool]
    counts: dict[str, int]
    releases: dict[str, int]
    at: str


class WithdrawalPreviewOut(TypedDict):
    counts: dict[str, int]
    releases: dict[str, int]
    total: int


class WorkerMeterOut(TypedDict):
    worker: str
    device: str
    outputs: int
    batches: int
    busy_seconds: float
    idle_seconds: float
    load_seconds: float
    idle_share: float | None
    tokens_in: int
    tokens_out: int
    tokens_per_second: float | None
    peak_memory: int
    hours: float
    cost: float | None
    currency: str


class WorstOfRunOut(TypedDict):
    run: str
    name: str
    tuples: list[WorstTupleOut]


class WorstTupleOut(TypedDict):
    sample: str
    sample_id: str
    rule: str
    state: str
    gold: str
    contrastive_id: str
    contrastive: str
    gold_score: float
    contrastive_score: float
    failures: int
    n: int
    pieces: list[PieceOut]


class WouldPauseOut(TypedDict):
    username: str
    reason: str
