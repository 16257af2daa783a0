"""Every sentence the task page's script may say has its words."""

import re
from pathlib import Path

from annotation.services.tasks.live_meters import ON_A_WORKER
from annotation.views.core.script_modules import list_imported_modules
from annotation.views.tasks.messages import script_messages
from annotation.views.tasks.task_meters import list_meter_modules, meter_messages

SCRIPTS = Path(__file__).resolve().parents[2] / "static" / "js"
ANSWERS = ("refused", "conflict", "stale", "session", "offline", "broken")
STATES = ("changed", "saving", "saved", "conflict", "offline", "error", "refused", "session")


def test_every_sentence_has_its_words():
    names = ("task", *list_imported_modules("task"), *list_meter_modules())
    text = "".join((SCRIPTS / f"{name}.js").read_text() for name in names)
    result = set(re.findall(r'say\(\s*"([a-z0-9-]+)"', text)) | set(re.findall(r'"((?:todo|meter)-[a-z-]+)"', text))
    for line in re.findall(r"say\(([^;]{1,120}?)\s\? ([^;]{1,60}?)\s: ([^,;)]{1,60})", text):
        result |= set(re.findall(r'"([a-z]+(?:-[a-z0-9]+)+)"', " ".join(line)))
    result |= {f"{prefix}-{kind}" for prefix in ("choose", "submit", "skip") for kind in ANSWERS}
    result |= {f"save-{state}{more}" for state in STATES for more in ("", "-more")}
    result |= {"own-twice", "own-full", "choice-few", "choice-twice"}
    result |= {f"said-{code}" for code in ("submitted", "skipped", "frozen", "chosen", "restored")}
    assert len(result) > 80
    result |= {f"{measure}-value" for measure in ON_A_WORKER}
    assert result - set(script_messages()) - set(meter_messages()) == set()
    assert not set(script_messages()) & set(meter_messages())


def test_plural_sentences_have_both_forms():
    assert all(
        set(entry) == {"one", "other"}
        for entry in {**script_messages(), **meter_messages()}.values()
        if isinstance(entry, dict)
    )
