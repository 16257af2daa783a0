"""Automatic scores of judged outputs: the table of systems, and each score paired with the raters' answers."""

from collections.abc import Mapping

from annotation.models import Score
from annotation.services.scores.score_queries import Scored, latest_scores
from epitome.figures.tables import Cell, Table
from epitome.measures import Value
from epitome.reports.answers import Answer, Frame, real_answers
from epitome.reports.automatic import SystemRow, SystemScores, system_table
from epitome.reports.cells import share_cell
from epitome.reports.correlation import ScoredSummary
from epitome.rounds.question_types import YesNo
from evaluation.models import Item, Round
from evaluation.services.runs_compared.run_comparison import compare_runs, measured_attributes, policy_of
from modelbridge.models import Run, SystemOutput
from modelbridge.services.runs.references import references_of


def judged_runs(round_: Round) -> dict[str, Run]:
    """The run of each target that has one, without no-control targets: their outputs appear under other requests."""
    outputs: dict[str, int] = {}
    for targets in Item.objects.filter(round=round_, kind=Item.Kind.REAL).values_list("targets", flat=True):
        for item_target in targets:
            if item_target["kind"] == "run":
                outputs.setdefault(item_target["target"], item_target["row"])
    plain = {target.key for target in round_.rules.targets if not target.no_control}
    rows = SystemOutput.objects.select_related("run__revision__system").in_bulk(list(outputs.values()))
    return {key: rows[row].run for key, row in outputs.items() if key in plain and row in rows}


def systems_table(round_: Round, frame: Frame, answers: list[Answer]) -> Table | None:
    """CER, CC and content of the judged runs over all their samples, with the raters' share of yes."""
    runs = judged_runs(round_)
    if not runs:
        return None
    comparison = compare_runs(round_.project, list(runs.values()))
    rows = []
    for (key, run), numbers in zip(runs.items(), comparison.runs, strict=True):
        if numbers.cer:
            scores = SystemScores(numbers.cer, numbers.cc, numbers.content, numbers.average)
            rows.append(
                SystemRow(key, scores, run.revision.declared_kind.optimizes_measures, _yes_cell(frame, answers, key))
            )
    if not rows:
        return None
    codes = {attribute.key: attribute.code for attribute in measured_attributes(comparison.schema)}
    title = "Automatic scores, over all samples of the runs"
    gold = next((target.key for target in round_.rules.targets if target.is_gold), None)
    yes = _yes_cell(frame, answers, gold) if gold is not None else None
    return system_table(rows, comparison.gold.cc, codes, title=title, signature=comparison.signature, gold_yes=yes)


def _yes_cell(frame: Frame, answers: list[Answer], system: str) -> Cell:
    question_keys = {question.key for question in frame.of_type(YesNo)}
    rows = [
        row
        for row in real_answers(answers).of_raters(frame.raters).rows
        if row.system == system and row.question in question_keys and not row.other
    ]
    return share_cell([row.answer == "yes" for row in rows], [row.source for row in rows], "not asked")


def pair_scores(round_: Round, frame: Frame, answers: list[Answer]) -> list[ScoredSummary]:
    """Pair each judged output's CER for an attribute with the share of raters who answered yes for that attribute."""
    from epitome.metrics.control_error_rate import sample_errors

    schema = round_.project.schema_version.schema
    yes = _yes_shares(frame, answers)
    judged = _judged_outputs(round_, {item for item, _question in yes})
    ours = latest_scores(round_.project, target_kind=Score.Target.OUTPUT, ids={row for row, *_ in judged.values()})
    gold = references_of(round_.project)
    theirs = latest_scores(round_.project, ids={gold[sample][0] for _, sample, *_ in judged.values() if sample in gold})
    pairs = []
    for (item, question), share in sorted(yes.items()):
        attribute = schema.find(question)
        if item not in judged or attribute is None or not attribute.measure:
            continue
        row, sample, source, system = judged[item]
        if sample not in gold:
            continue
        value = score_value(ours.get(row, {}), attribute.measure)
        reference_value = score_value(theirs.get(gold[sample][0], {}), attribute.measure)
        (error,) = sample_errors(attribute.measure, [value], [reference_value], policy_of(schema))
        if error.defined:
            pairs.append(ScoredSummary(attribute.label, system, item, source, float(error), share))
    return pairs


def _yes_shares(frame: Frame, answers: list[Answer]) -> dict[tuple[str, str], float]:
    """(item, attribute) -> share of yes."""
    keys = {question.key for question in frame.of_type(YesNo) if question.attribute}
    flags_by_key: dict[tuple[str, str], list[float]] = {}
    for row in real_answers(answers).of_raters(frame.raters).rows:
        if row.question in keys:
            flags_by_key.setdefault((row.item, row.question), []).append(float(row.answer == "yes"))
    return {key: sum(flags) / len(flags) for key, flags in flags_by_key.items()}


def _judged_outputs(round_: Round, items: set[str]) -> dict[str, tuple[int, int, str, str]]:
    """Item -> (output, sample, source, system), for items with a single text written by a run under its own request."""
    controlled = {target.key for target in round_.rules.targets if target.is_run and not target.no_control}
    outputs = {}
    rows = Item.objects.filter(round=round_, public_id__in=items).select_related("document")
    for item in rows:
        first_target = item.targets[0]
        if len(item.targets) == 1 and first_target["target"] in controlled:
            outputs[str(item.public_id)] = (
                first_target["row"],
                item.sample_id,
                item.document.external_id,
                first_target["target"],
            )
    return outputs


def score_value(scores: Mapping[str, Scored], measure: str) -> Value:
    scored = scores.get(measure)
    if scored is None:
        return Value.none("not measured yet")
    return Value.of(scored.value) if scored.value is not None else Value.none(scored.undefined)
