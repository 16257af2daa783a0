"""The most likely true answer per item, where raters differ in how reliable they are.

The models are those of `crowd-kit` (Apache-2.0), which is installed with the extra `analysis` and imported on use.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from epitome.agreement.judgements_file import Judgements
from epitome.agreement.scales import Floats, Ints
from epitome.agreement.table import Label
from epitome.text.missing_library import MissingLibrary

Model = Literal["dawid-skene", "mace"]
MODELS: tuple[Model, ...] = ("dawid-skene", "mace")


@dataclass(frozen=True)
class Truth:
    """answers: the most likely answer by item; reliability: by rater, the share of the answers expected to be right."""

    model: Model
    answers: dict[str, Label]
    reliability: dict[str, float]


def item_truth(judgements: Judgements, question: str, *, model: Model = "mace", seed: int = 12345) -> Truth:
    """The most likely answer to one question for every item, and how reliable each rater is.

    seed: for the random start of mace; dawid-skene starts from the majority and needs none.
    Raises ValueError for an unknown question or model, fewer than 2 raters, only one answer; MissingLibrary without
    crowd-kit.
    Source: Dawid and Skene (1979), "Maximum likelihood estimation of observer error-rates using the EM algorithm";
        Hovy et al. (2013), "Learning whom to trust with MACE".
    """
    if model not in MODELS:
        raise ValueError(f"model is {model!r}: give one of {', '.join(MODELS)}")
    if question not in judgements.questions:
        raise ValueError(f"question {question!r:.80} has no judgements")
    mask = judgements.question == judgements.questions.index(question)
    item, rater, answer = judgements.item[mask], judgements.rater[mask], judgements.answer[mask]
    if len(set(rater.tolist())) < 2 or len(set(answer.tolist())) < 2:
        raise ValueError(f"question {question!r:.80} needs two raters and two answers to learn whom to trust")
    likely = _fit_model({"task": item, "worker": rater, "label": answer.astype(str)}, model, seed)
    best, right = likely.idxmax(axis="columns"), _answer_probability(likely, item, answer.astype(str))
    sums, n_answers = np.bincount(rater, weights=right), np.bincount(rater)
    return Truth(
        model,
        {judgements.items[int(task)]: judgements.labels[int(label)] for task, label in sorted(best.items())},
        {judgements.raters[code]: float(sums[code] / n_answers[code]) for code in np.flatnonzero(n_answers).tolist()},
    )


def _fit_model(columns: dict[str, NDArray[Any]], model: Model, seed: int) -> Any:
    """The probability of each label for each task, a data frame (tasks, labels).

    Labels must be text: crowd-kit renames columns called True and False, which 1 and 0 equal.
    """
    try:
        import pandas
        from crowdkit import aggregation
    except ImportError as error:
        raise MissingLibrary("item truth needs crowd-kit: pip install 'epitome[analysis]'") from error
    # Every restart of crowd-kit's MACE uses the same seed, so one restart is enough.
    fit = aggregation.MACE(random_state=seed, n_restarts=1) if model == "mace" else aggregation.DawidSkene(n_iter=200)
    likely: Any = fit.fit(pandas.DataFrame(columns)).probas_
    return likely.fillna(0)


def _answer_probability(likely: Any, item: Ints, answer: NDArray[Any]) -> Floats:
    """How likely each answer is the true one, shape (ratings,)."""
    rows, columns = likely.index.get_indexer(item), likely.columns.get_indexer(answer)
    return np.asarray(likely.to_numpy()[rows, columns], dtype=float)
