"""A chat model that reads the focus of dev summaries during a training, so that F1 counts where it chooses weights.

The table [judge] of a training holds the options of a system of the kind `chat-judge`.
"""

from collections.abc import Sequence
from typing import cast

from epitome.prompts.questions import JudgeQuestion, find_question
from epitome.systems.chat_judge import make_system
from epitome.systems.chat_options import ChatOptions
from epitome.systems.config import SystemConfig
from epitome.systems.protocol import Judge, Request
from epitome.training.config import TrainingConfig
from epitome.training.data import Example

QUESTION = "focus"
NO_JUDGE = "n/a: nothing reads the focus of dev summaries; name a chat model in [judge]"


class FocusJudge:
    """Asks about the summaries that were requested with a focus."""

    def __init__(self, options: ChatOptions) -> None:
        self.judge: Judge = make_system(SystemConfig(QUESTION, "chat-judge", "Judge", {}, "", options))
        self.question = cast(JudgeQuestion, find_question(QUESTION))

    def read_focus(self, examples: Sequence[Example], summaries: Sequence[str]) -> dict[int, str | None]:
        """Place of a summary -> the focus that the judge saw in it, None for another answer. Raises SystemFault."""
        indexes = [index for index, example in enumerate(examples) if example.request.value(self.question.attribute)]
        requests = [
            Request(id=str(index), segments=(), values={}, schema=examples[index].request.schema, text=summaries[index])
            for index in indexes
        ]
        outputs = self.judge.judge(requests, self.question.question, self.question.answers)
        return {index: self.question.values.get(output.text) for index, output in zip(indexes, outputs, strict=True)}


def describe_missing_judge(config: TrainingConfig) -> dict[str, str]:
    """{"f1": why it has no value} where weights are chosen by texts, the schema has a focus, and no judge is named."""
    attribute = config.schema.find(QUESTION)
    has_focus = attribute is not None and set(attribute.values) == {"low", "high"}
    chosen_by_texts = config.optimisation.selection == "cer-rouge"
    return {"f1": NO_JUDGE} if has_focus and chosen_by_texts and config.judge is None else {}
