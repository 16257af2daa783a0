"""Automatic scores of what a round judged: the table of systems, and each score beside what raters said of it."""

from collections.abc import Mapping

from annotation.figures.tables import Cell, Table
from annotation.measures import Value
from annotation.models import Score
from annotation.services.scores import Scored, latest_scores
from evaluation.models import Item, Round
from evaluation.reports.answers import Answer, Frame, real
from evaluation.reports.automatic import Numbers, Row, system_table
from evaluation.reports.cells import cell, mean
from evaluation.reports.correlation import Pair
from modelbridge.models import Run, SystemOutput
from modelbridge.services.comparing import attributes, compare, policy_of
from modelbridge.services.references import references_of

GAMING = frozenset({"controlled-extract"})
"""Kinds of systems that are made to meet the measures."""


def runs_of(round_: Round) -> dict[str, Run]:
    """The run behind each target that is one; a no-control target has its outputs under other requests: no run."""
    outputs: dict[str, int] = {}
    for targets in Item.objects.filter(round=round_, kind=Item.Kind.REAL).values_list("targets", flat=True):
        for told in targets:
            if told["kind"] == "run":
                outputs.setdefault(told["target"], told["row"])
    plain = {target.key for target in round_.rules.targets if not target.no_control}
    rows = SystemOutput.objects.select_related("run__revision__system").in_bulk(list(outputs.values()))
    return {key: rows[row].run for key, row in outputs.items() if key in plain and row in rows}


def systems_table(round_: Round, frame: Frame, answers: list[Answer]) -> Table | None:
    """CER, CC and ROUGE of the judged runs, over all their samples, beside the raters' share of yes."""
    runs = runs_of(round_)
    if not runs:
        return None
    found = compare(round_.project, list(runs.values()))
    rows = []
    for (key, run), numbers in zip(runs.items(), found.runs, strict=True):
        if numbers.cer:
            told = Numbers(numbers.cer, numbers.cc, numbers.rouge, numbers.average)
            rows.append(Row(key, told, run.revision.kind in GAMING, _yes(frame, answers, key)))
    if not rows:
        return None
    codes = {each.key: each.code for each in attributes(found.schema)}
    title = "Automatic scores, over all samples of the runs"
    gold = next((target.key for target in round_.rules.targets if target.kind == "gold"), None)
    yes = _yes(frame, answers, gold) if gold is not None else None
    return system_table(rows, found.gold.cc, codes, title=title, signature=found.signature, gold_yes=yes)


def _yes(frame: Frame, answers: list[Answer], system: str) -> Cell:
    asked = {question.key for question in frame.of_type("yes-no")}
    rows = [
        row
        for row in real(answers).of_raters(frame.raters).rows
        if row.system == system and row.question in asked and not row.other
    ]
    if not rows:
        return Cell(None, "not asked")
    found = mean(frame, [float(row.answer == "yes") for row in rows], [row.source for row in rows])
    return cell(found, len(rows))


def pairs_of(round_: Round, frame: Frame, answers: list[Answer]) -> list[Pair]:
    """Each judged output's CER for an attribute beside the share of raters who said yes about that attribute."""
    from evaluation.metrics.cer import sample_errors

    schema = round_.project.schema_version.schema
    yes = _shares(frame, answers)
    judged = _judged(round_, {item for item, _question in yes})
    ours = latest_scores(round_.project, target_kind=Score.Target.OUTPUT, ids={row for row, *_ in judged.values()})
    gold = references_of(round_.project)
    theirs = latest_scores(round_.project, ids={gold[sample][0] for _, sample, *_ in judged.values() if sample in gold})
    found = []
    for (item, question), share in sorted(yes.items()):
        attribute = schema.find(question)
        if item not in judged or attribute is None or not attribute.measure:
            continue
        row, sample, source, system = judged[item]
        if sample not in gold:
            continue
        value = value_of(ours.get(row, {}), attribute.measure)
        wanted = value_of(theirs.get(gold[sample][0], {}), attribute.measure)
        (error,) = sample_errors(attribute.measure, [value], [wanted], policy_of(schema))
        if error.defined:
            found.append(Pair(attribute.label, system, item, source, float(error), share))
    return found


def _shares(frame: Frame, answers: list[Answer]) -> dict[tuple[str, str], float]:
    """(item, attribute) -> share of yes."""
    keys = {question.key for question in frame.of_type("yes-no") if question.attribute}
    given: dict[tuple[str, str], list[float]] = {}
    for row in real(answers).of_raters(frame.raters).rows:
        if row.question in keys:
            given.setdefault((row.item, row.question), []).append(float(row.answer == "yes"))
    return {key: sum(flags) / len(flags) for key, flags in given.items()}


def _judged(round_: Round, items: set[str]) -> dict[str, tuple[int, int, str, str]]:
    """Item -> (output, sample, source, system), of items with one text that is a run's, under its own request."""
    controlled = {target.key for target in round_.rules.targets if target.kind == "run" and not target.no_control}
    found = {}
    rows = Item.objects.filter(round=round_, public_id__in=items).select_related("document")
    for item in rows:
        told = item.targets[0]
        if len(item.targets) == 1 and told["target"] in controlled:
            found[str(item.public_id)] = (told["row"], item.sample_id, item.document.external_id, told["target"])
    return found


def value_of(scores: Mapping[str, Scored], measure: str) -> Value:
    scored = scores.get(measure)
    if scored is None:
        return Value.none("not measured yet")
    return Value.of(scored.value) if scored.value is not None else Value.none(scored.undefined)
