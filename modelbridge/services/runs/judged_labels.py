"""What judges answered about outputs, in the form of scores, so that a label is shown beside the measures of a text.

The answer itself stays in the row of the judge's own run, with prompt, raw answer and cost. It is no row of `Score`:
those never change, and a text that the same judge reads once more may get another answer.
"""

import hashlib
import json
from collections.abc import Sequence

from annotation.models import Project
from annotation.services.scores.score_queries import Scored
from epitome.measures import Signature
from epitome.prompts.questions import find_question
from modelbridge.models import OutputState, Run, RunState, SystemOutput

VERSION = "1"
NEITHER = "the judge gave none of the answers it was offered"


def read_judged_scores(project: Project, outputs: Sequence[SystemOutput]) -> dict[int, dict[str, Scored]]:
    """output id -> `QUESTION-judge` -> the place of the judged value among those of its attribute (focus: 0 is low, 1
    is high), by the newest finished judging of its run with each published question. Their runs must be loaded."""
    overs = {f"run:{row.run.public_id}": row.run_id for row in outputs}
    judgings = Run.objects.filter(project=project, over__in=overs, state=RunState.DONE)
    newest: dict[tuple[str, str], Run] = {}
    for judging in judgings.select_related("revision__system").order_by("pk"):
        if judging.options.get("preset"):
            newest[judging.over, judging.options["preset"]] = judging
    if not newest:
        return {}
    judging_of = {judging.pk: judging for judging in newest.values()}
    output_of = {(row.run_id, row.sample_id): row.pk for row in outputs}
    rows = SystemOutput.objects.filter(
        run__in=judging_of, sample__in={row.sample_id for row in outputs}, state=OutputState.DONE
    )
    scores: dict[int, dict[str, Scored]] = {}
    for run_id, sample, answer in rows.values_list("run_id", "sample_id", "scores"):
        judging = judging_of[run_id]
        output = output_of.get((overs[judging.over], sample))
        score = _read_score(project, judging, str(answer.get("label", "")))
        if output is not None and score is not None:
            scores.setdefault(output, {})[f"{judging.options['preset']}-judge"] = score
    return scores


def _read_score(project: Project, judging: Run, answer: str) -> Scored | None:
    """None for a question about an attribute that the project does not have."""
    question = find_question(judging.options["preset"])
    attribute = project.schema_version.schema.find(question.attribute) if question is not None else None
    if question is None or attribute is None:
        return None
    value = question.values.get(answer)
    if value is None:
        return Scored(None, NEITHER, _sign(judging))
    return Scored(float(attribute.index(value)), "", _sign(judging))


def _sign(judging: Run) -> str:
    """The judge's revision and the hash of what it was asked."""
    question_key = json.dumps([judging.options["question"], judging.options["answers"]])
    question_hash = hashlib.sha256(question_key.encode()).hexdigest()[:12]
    revision = f"{judging.revision.system.key}@{judging.revision.number}"
    signature = Signature(f"{judging.options['preset']}-judge", VERSION).with_(judge=revision, question=question_hash)
    return str(signature)
