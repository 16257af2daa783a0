"""What to change after a failed run or training, in words."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from epitome.systems.remedies import Remedy, find_remedies


def describe_remedies(messages: Iterable[str], *, of_training: bool) -> list[str]:
    """One sentence per remedy of these messages, each once."""
    remedies = dict.fromkeys(remedy for message in messages for remedy in find_remedies(message))
    words = _training_words() if of_training else _run_words()
    return [words[remedy] for remedy in remedies if remedy in words]


def _common_words() -> dict[Remedy, str]:
    return {
        "weights": _(
            "The weights are not where this worker looks. Put their folder below EPITOME_MODELS_DIR on every GPU "
            "worker, or name them as they are named there."
        ),
        "library": _("The worker lacks libraries. Install the models extra on the machine of the worker."),
        "server": _("An administrator names chat servers and their keys for the workers; check both, then resume."),
        "process-memory": _(
            "The machine's own memory ran out, not the GPU's. Load fewer systems per worker (EPITOME_LOADED_SYSTEMS), "
            "run fewer workers on the machine, or take a smaller model."
        ),
    }


def _run_words() -> dict[Remedy, str]:
    return {
        **_common_words(),
        "memory": _(
            "To need less memory: dtype = bfloat16, a lower batch_tokens, fewer beams, or a lower max_source_tokens in "
            "the system's options. That makes a new revision: start a new run with it."
        ),
        "time": _(
            "A batch took too long. Lower batch_size, max_tokens or beams in the system's options, or raise "
            "EPITOME_BATCH_SECONDS for the workers and resume."
        ),
        "length": _(
            "Sources are too long for the model. Lower max_source_tokens (the end is cut, and counted), or choose a "
            "model with a longer input."
        ),
        "budget": _("Resume with a larger budget; finished outputs are not paid for again."),
    }


def _training_words() -> dict[Remedy, str]:
    return {
        **_common_words(),
        "memory": _(
            "Start a training with the changed settings named above; the least harmful comes first. This one keeps its "
            "checkpoints, but only for the same configuration."
        ),
        "length": _("Lower max_source_tokens under [prompt]: the end of longer sources is cut, and counted."),
    }
