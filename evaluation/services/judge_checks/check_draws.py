"""Draws texts to label by hand: as many of each requested value, in an order that reveals nothing.

Source: CCSBench, arXiv 2410.12601, appendix A.3 (its judge was right on 93 % of 100 texts).
"""

import random

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, Project, Sample
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names
from annotation.transactions import write_transaction
from epitome.prompts.questions import JudgeQuestion, find_question, list_questions
from evaluation.models import JudgeCheck
from evaluation.services.judge_checks.checked_texts import hash_text
from modelbridge.services.runs.run_names import complete_over
from modelbridge.services.runs.text_sets import find_text_set

ALGORITHM = "judge-check@1"
DEFAULT_N = 100
MAX_N = 1000
MAX_SEED = 2**63 - 1
BATCH = 500


def get_question(key: str) -> JudgeQuestion:
    """Raises BadInput naming the questions there are."""
    question = find_question(key)
    if question is None:
        known = join_names(known_question.key for known_question in list_questions())
        raise BadInput(_("There is no such question; there are: %(known)s.") % {"known": known}, field="question")
    return question


def draw_check(
    *, project: Project, question: str, over: str, n: int, seed: int, by: AbstractBaseUser | None
) -> JudgeCheck:
    """Freeze a draw of n texts, the same number of each requested value of the question's attribute.

    over: a set of texts that judges read (text_sets.py). Where a value has too few texts, there are as few of the
    others. The same question, texts, n and seed are the same check. Raises BadInput naming the field.
    """
    found_question = get_question(question)
    if not 2 <= n <= MAX_N:
        raise BadInput(_("The number of texts must be from 2 to %(n)d.") % {"n": MAX_N}, field="n")
    if not 0 <= seed <= MAX_SEED:
        raise BadInput(_("The seed must be a whole number from 0."), field="seed")
    over = complete_over(project, over)
    same = {"question": found_question.key, "over": over, "n": n, "seed": seed}
    stored = JudgeCheck.objects.filter(project=project, **same).first()
    if stored is not None:
        return stored
    texts = _draw_texts(_load_texts_by_value(project, found_question, over), found_question, n, f"{ALGORITHM}:{seed}")
    with write_transaction():
        check, created = JudgeCheck.objects.get_or_create(
            project=project, **same, defaults={"texts": texts, "created_by_id": by.pk if by is not None else None}
        )
        if created:
            audit.record_event(
                project=project,
                actor=by,
                verb=AuditVerb.JUDGE_CHECK_DRAW,
                target=f"judge_check:{check.public_id}",
                question=check.question,
                texts=len(texts),
            )
    return check


def _load_texts_by_value(project: Project, question: JudgeQuestion, over: str) -> dict[str, dict[str, str]]:
    """value -> hash -> origin, of the texts of samples that request a value. A text that occurs twice counts once."""
    text_set, argument = find_text_set(over, "judge")
    text_set.check(project, argument)
    requested = {}
    samples = Sample.objects.filter(project=project).select_related("group").order_by("pk")
    for sample in samples.filter(pk__in=text_set.list_samples(project, argument)):
        value = sample.attributes.get(question.attribute)
        if value in question.values.values():
            requested[sample.pk] = str(value)
    texts: dict[str, dict[str, str]] = {value: {} for value in question.values.values()}
    seen: set[str] = set()
    keys = list(requested)
    for start in range(0, len(keys), BATCH):
        loaded = text_set.load(project, argument, keys[start : start + BATCH])
        for sample_key, materials in sorted(loaded.items()):
            text_hash = hash_text(materials[0].text or "")
            if text_hash not in seen:
                seen.add(text_hash)
                texts[requested[sample_key]][text_hash] = materials[0].origin
    return texts


def _draw_texts(texts: dict[str, dict[str, str]], question: JudgeQuestion, n: int, seed: str) -> list[tuple[str, str]]:
    """[(origin, hash)] in the order of the page. Raises BadInput where a value has no text."""
    for value, texts_of_value in texts.items():
        if not texts_of_value:
            message = _("None of these texts was written for %(attribute)s %(value)s, so there is nothing to compare.")
            words = {"attribute": question.attribute, "value": f"{value} ({question.answer_for(value)})"}
            raise BadInput(message % words, field="over", code="notexts")
    generator = random.Random(seed)
    per_value = min(n // len(texts), *(len(texts_of_value) for texts_of_value in texts.values()))
    drawn = [
        (texts_of_value[text_hash], text_hash)
        for texts_of_value in texts.values()
        for text_hash in generator.sample(sorted(texts_of_value), per_value)
    ]
    generator.shuffle(drawn)
    return drawn
