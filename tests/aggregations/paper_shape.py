"""Annotations that have the counts of TESA's published dataset, written by rule: 2,100 instances, 6,299 annotations.

Of every kept annotation and its golds only the numbers are like the paper's; the texts are numbered phrases.
"""

from epitome.aggregations.contents import AboutInstance
from epitome.aggregations.filters import Answered

KEPT_PEOPLE, RARE_PEOPLE = 42, 21
TYPES = {  # instances, distinct entity sets, aggregations, distinct ones, golds of all instances together
    "person": (941, 801, 2900, 951, 2437),
    "location": (629, 412, 2041, 505, 1799),
    "org": (148, 123, 456, 239, 400),
}
SHARED = 14
"""Texts that two types have in common: 951 + 505 + 239 - 1681."""
N_KEPT = 4675


def make_annotations():
    """(annotations, what each instance is about) in the shape of the paper."""
    about, answers_of = {}, {}
    n_done, texts_before = 0, 0
    n_instances = sum(shape[0] for shape in TYPES.values())
    for entity_type, shape in TYPES.items():
        instances, entity_sets, aggregations, distinct, golds = shape
        last = n_done + instances
        result = N_KEPT * last // n_instances - N_KEPT * n_done // n_instances
        first = texts_before - (SHARED if entity_type == "org" else 0)
        texts = [f"phrase {first + number}" for number in range(distinct)]
        keys = [f"{entity_type}-{number}" for number in range(instances)]
        for number, key in enumerate(keys):
            names = (f"{entity_type} {number % entity_sets}", f"other {entity_type}")
            about[key] = AboutInstance(entity_type, names)
        answers_of |= _answers_by_instance(keys, result, aggregations, golds, texts)
        n_done, texts_before = last, texts_before + distinct
    annotations = []
    for place, (key, item) in enumerate(answers_of.items()):
        for number, answers in enumerate(item):
            annotations.append(Answered(f"regular {(place * 3 + number) % KEPT_PEOPLE}", key, answers))
    return annotations + _removed(about, answers_of), about


def _spread(total, places):
    return [total * (n + 1) // places - total * n // places for n in range(places)]


def _answers_by_instance(keys, kept, aggregations, golds, texts):
    """2 or 3 annotations per instance, `kept` in all, with so many answers and distinct golds."""
    people = _spread(kept - 2 * len(keys), len(keys))
    fields, used = {}, 0
    n_answers = _spread(aggregations, len(keys))
    n_golds = _spread(golds, len(keys))
    for key, extra, want, distinct in zip(keys, people, n_answers, n_golds, strict=True):
        n_people = 2 + extra
        want = min(max(want, n_people), 2 * n_people)
        fields[key] = (n_people, want, distinct)
    lacking = aggregations - sum(want for _n, want, _d in fields.values())
    for key, (n_people, want, distinct) in fields.items():
        room = (2 * n_people - want) if lacking > 0 else (n_people - want)
        step = min(room, lacking) if lacking > 0 else max(room, lacking)
        fields[key] = (n_people, want + step, distinct)
        lacking -= step
    assert lacking == 0
    answers = {}
    for key, (n_people, want, distinct) in fields.items():
        distinct = min(max(distinct, 2 if want > n_people else 1), want)
        golds_here = [texts[(used + number) % len(texts)] for number in range(distinct)]
        used += distinct
        two = want - n_people  # so many people give two answers
        cursor, items = 0, []
        for number in range(n_people):
            size = 2 if number < two else 1
            items.append(tuple(golds_here[(cursor + step) % distinct] for step in range(size)))
            cursor += size
        answers[key] = items
    return answers


def _removed(about, answers_of):
    """What the filters remove, and what nobody could aggregate."""
    spoiled = [f"void-{number}" for number in range(2100 - len(answers_of))]
    for key in spoiled:
        about[key] = AboutInstance("person", (key, "nobody"))
    rows = [Answered(f"regular {n % KEPT_PEOPLE}", spoiled[n], ("people who have cars",)) for n in range(23)]
    rare = [Answered(f"rare {n % RARE_PEOPLE}", spoiled[30 + n], ("lone phrase",)) for n in range(30)]
    few = [Answered(f"regular {n % KEPT_PEOPLE}", spoiled[60 + n], ("lone phrase",)) for n in range(288)]
    unclear = [
        Answered(
            f"regular {n % KEPT_PEOPLE}", spoiled[n % len(spoiled)], ("a phrase",) if n % 7 == 0 else (), n % 7 < 5
        )
        for n in range(1283)
    ]
    return rows + rare + few + unclear
