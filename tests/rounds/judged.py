"""Rounds with judges: fake judges of known answers, and texts of such rounds."""

from epitome.systems.protocol import Output
from evaluation.services.rating import model_judges
from modelbridge.models import System, SystemRevision
from tests.rounds.factories import config

TWO = '[[target]]\nsystem = "lead"\n'


class FixedJudge:
    """Answers by a rule: request -> the number of the option."""

    role = "judge"

    def __init__(self, rule=lambda request: 0):
        self.rule = rule

    def judge(self, batch, question, answers):
        return [Output(answers[self.rule(request)]) for request in batch]


def make_judge(project, key="judge", number=1):
    system, _result = System.objects.get_or_create(project=project, key=key, defaults={"name": key})
    return SystemRevision.objects.create(
        system=system, number=number, kind="fake", role="judge", config_hash=f"{key}{number}"
    )


def judged_config(
    name="Judged", *, n=6, share="", choice="random", judges=("judge",), combine="ppi", more="", **options
):
    """A round of gold and lead with judges. share: the line on items for people."""
    keys = ", ".join(f'"{key}"' for key in judges)
    text = config(name=name, n=n, more=TWO + f'[judge]\nsystems = [{keys}]\ncombine = "ppi"\n{more}', **options)
    chosen = f'for_people = "{choice}"\n{share}\n'
    return text.replace(f"n = {n}\n", f"n = {n}\n{chosen}", 1)


def stopping_config(name="Stopping", *, n=12, rule='rule = "decided"', more="", **options):
    """A round of gold and lead that may stop."""
    return config(name=name, n=n, more=TWO + f"[stopping]\n{rule}\n{more}", **options)


def answer_all(made, revision, rule=lambda request: 0):
    return model_judges.judge_round(round_=made, revision=revision, judge=FixedJudge(rule))
