"""How many samples a new round has, if nobody says."""

from annotation.models import Project, Sample, SampleState
from annotation.services.core.errors import BadInput
from epitome.rounds.designing import plan_round
from epitome.rounds.selecting import NotEnough
from epitome.rounds.templates import RoundTemplate
from epitome.rounds.writing import Sketch, build_toml
from evaluation.services.rounds.design_check import parse_config
from evaluation.services.rounds.remedies import find_enough
from evaluation.services.rounds.round_material import Material
from modelbridge.services.runs.references import human_summaries

MOST_PLANNED = 500
"""Samples of a project up to which a round is planned to know what is enough; above, human summaries are counted."""
SINGLE = "likert"
"""A template that a human summary alone is enough for."""


def find_usual_n(project: Project, template: RoundTemplate) -> int:
    """The template's number of samples, or as many as there are human summaries for."""
    if Sample.objects.filter(project=project, state=SampleState.ACTIVE).count() > MOST_PLANNED:
        n_golds = human_summaries(project).order_by().values("sample").distinct().count()
        return min(template.n, n_golds) or template.n
    for key in (template.key, SINGLE):
        sketch = Sketch(name="-", template=key, n=template.n, raters_per_item=1, seed=1)
        try:
            config = parse_config(project, build_toml(sketch))
        except BadInput:  # a pair, a list or a reference is not yet declared
            continue
        material = Material(project, config)
        try:
            plan_round(config, material.pools, material)
        except NotEnough as error:
            return (find_enough(config, material, error) if error.too_large == "n" else None) or template.n
        break
    return template.n
