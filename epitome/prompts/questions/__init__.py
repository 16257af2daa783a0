"""Questions for judges that papers have published, one TOML file each: what is asked, and what each answer means."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class JudgeQuestion:
    """attribute: key of the attribute that is judged. values: answer -> value of this attribute. source: where the
    question was published; published_accuracy: of the judge there, None where it is not given."""

    key: str
    title: str
    attribute: str
    question: str
    values: Mapping[str, str]
    source: str
    published_accuracy: float | None = None

    @property
    def answers(self) -> list[str]:
        return list(self.values)

    def answer_for(self, value: str) -> str:
        """The answer that means a value of the attribute. Raises KeyError."""
        return {meant: answer for answer, meant in self.values.items()}[value]


@cache
def list_questions() -> tuple[JudgeQuestion, ...]:
    folder = resources.files(__name__)
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".toml"))
    return tuple(_read_question(name.removesuffix(".toml")) for name in names)


def find_question(key: str) -> JudgeQuestion | None:
    return next((question for question in list_questions() if question.key == key), None)


def _read_question(key: str) -> JudgeQuestion:
    data = tomllib.loads(resources.files(__name__).joinpath(f"{key}.toml").read_text(encoding="utf-8"))
    return JudgeQuestion(
        key=key,
        title=data["title"],
        attribute=data["attribute"],
        question=data["question"].strip(),
        values=data["answers"],
        source=data["source"],
        published_accuracy=data.get("published_accuracy"),
    )
