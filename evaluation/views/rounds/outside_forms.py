"""Forms of the import of answers given in other tools."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from annotation.views.core.forms import StyledForm
from annotation.views.sources.import_forms import FilesField, FilesInput
from epitome.rounds.config import RoundConfig
from epitome.rounds.outside_answers import ANSWER, CATEGORY, LEFT_OUT, NOTE, Word
from evaluation.services.rating.outside_preview import WordChoice
from evaluation.services.rounds.built_in_texts import translate_built_in


class OutsideFileForm(StyledForm):
    file = FilesField(label=_("Files"), max_length=255, widget=FilesInput(attrs={"multiple": True}))


class WordsForm(StyledForm):
    """What the round calls each word of a file. words: field -> word."""

    def __init__(self, *args: Any, words: Sequence[WordChoice], rules: RoundConfig, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.words = {f"word-{number}": choice.word for number, choice in enumerate(words)}
        for name, choice in zip(self.words, words, strict=True):
            is_answer = choice.word.kind == ANSWER
            targets = [(target, _name_target(target, choice.word.kind, rules)) for target in choice.targets]
            first = [] if is_answer else [("", _now("Choose"))]
            self.fields[name] = forms.ChoiceField(
                label=name_word(choice.word),
                choices=[*first, *targets, (LEFT_OUT, _now("Leave out"))],
                initial=choice.target or (LEFT_OUT if is_answer else ""),
                widget=forms.Select({"class": "field"}),
            )

    def mapping(self) -> dict[Word, str]:
        """The choices so far."""
        cleaned = getattr(self, "cleaned_data", {})
        return {word: cleaned[name] for name, word in self.words.items() if cleaned.get(name)}


def name_word(word: Word) -> str:
    """Severity “minor”"""
    if word.kind == ANSWER:
        return _now("Answers to “%(word)s”") % {"word": word.name}
    if word.kind == CATEGORY:
        return _now("Category “%(word)s”") % {"word": word.name} if word.name else _now("No category")
    return _now("Severity “%(word)s”") % {"word": word.name} if word.name else _now("No severity")


def _name_target(target: str, kind: str, rules: RoundConfig) -> str:
    """As the round's raters read it."""
    if kind == ANSWER:
        return _now("Note about the item") if target == NOTE else translate_built_in(rules.question(target).text)
    marked = next(question for question in rules.questions if question.asks.marks)
    return translate_built_in(marked.labels.get(target, target.capitalize()))
