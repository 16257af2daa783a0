"""Every form of every page, sent sound and spoilt: nothing answers 5xx, and a refusal says on the page what is wrong.

EPITOME_FUZZ_FORMS says how many, EPITOME_FUZZ_SEED which (`python -m benchmarks.fuzz --forms 10000 --seed 1`).
"""

import json
import os
import random
from collections import Counter
from pathlib import Path

import pytest

from tests.pages.access_table import PAGES
from tests.pages.form_fuzz import REFUSALS, fill, read_forms, send

N_FORMS = int(os.environ.get("EPITOME_FUZZ_FORMS") or 150)
SEED = int(os.environ.get("EPITOME_FUZZ_SEED") or 36)


@pytest.fixture
def forms(world, addresses):
    """(person, form) of every page, as everybody who may send it sees it."""
    found = []
    for name, (_method, _what, who) in PAGES.items():
        for person in sorted(who & {"admin", "annotator", "rater", "anonymous"}):
            answer = world.as_(person).get(addresses[name])
            if answer.status_code == 200 and not answer.streaming and "html" in answer.headers["Content-Type"]:
                found += [(person, form) for form in read_forms(addresses[name], answer.content.decode())]
    return list({(person, form.address, tuple(form.fields)): (person, form) for person, form in found}.values())


def test_no_form_breaks_and_every_refusal_is_told(world, forms, caplog):
    caplog.set_level("CRITICAL", "django.request")  # thousands of refusals
    rng = random.Random(SEED)
    statuses, wrong = Counter(), []
    for turn in range(N_FORMS):
        person, form = forms[turn % len(forms)] if turn < len(forms) else rng.choice(forms)
        sent = fill(form, rng)
        status, page = send(world.as_(person), form, sent)
        statuses[status] += 1
        shown = {name: str(value)[:60] for name, value in sent.items()}
        if status >= 500 or (page and not REFUSALS[status].search(page)):
            wrong.append((status, person, form.address, shown))
    if log := os.environ.get("EPITOME_FUZZ_LOG"):
        Path(log).write_text(json.dumps(dict(sorted(statuses.items()))))
    assert len({form.address for _person, form in forms}) > 80
    assert statuses.keys() >= {302, 422}
    assert not wrong, "\n".join(map(str, wrong))
