"""Figures of marked errors: where in the summaries they are, and the texts with most of them."""

from collections.abc import Sequence

from epitome.figures.charts import Chart
from epitome.figures.heat import Heat
from epitome.figures.marked_texts import MarkedText, MarkedTexts
from epitome.figures.numbers import format_decimal
from epitome.reports.answers import Answer, Answers, Frame, ReportQuestion
from epitome.reports.span_errors import marked_answers, score_marks, table_key
from epitome.rounds.marks import covered_words, find_words, load_marks
from epitome.rounds.question_types import SpanErrors

TENTHS = 10
MOST_TEXTS = 6
MOST_WORDS = 120


def span_figures(frame: Frame, answers: Answers) -> dict[str, tuple[Chart, ...]]:
    """Two figures per question, by the key of its table of scores. answers: of people."""
    figures: dict[str, tuple[Chart, ...]] = {}
    for question in frame.of_type(SpanErrors):
        subset = marked_answers(answers, question)
        if len(subset):
            key = table_key(frame, "span-errors", question)
            figures[key] = (_density_figure(frame, subset, key), _text_figure(question, subset, key))
    return figures


def _density_figure(frame: Frame, answers: Answers, key: str) -> Heat:
    """Share of the words that a rater marked, by system and tenth of the summary."""
    systems = [system for system in frame.systems if any(row.system == system for row in answers.rows)]
    cells = [_tenth_shares([row for row in answers.rows if row.system == system]) for system in systems]
    columns = [str(number) for number in range(1, TENTHS + 1)]
    return Heat(f"{key}-density", "Share of words marked", "system", "tenth of the summary", systems, columns, cells)


def _tenth_shares(rows: Sequence[Answer]) -> list[float | None]:
    marked, words = [0] * TENTHS, [0] * TENTHS
    for row in rows:
        labels = covered_words(find_words(row.text), load_marks(row.answer))
        for index, is_marked in enumerate(labels):
            tenth = index * TENTHS // len(labels)
            words[tenth] += 1
            marked[tenth] += is_marked
    return [marks / n if n else None for marks, n in zip(marked, words, strict=True)]


def _text_figure(question: ReportQuestion, answers: Answers, key: str) -> MarkedTexts:
    """The texts with the lowest mean scores, each word by the share of raters who marked it."""
    by_item: dict[str, list[Answer]] = {}
    for row in answers.rows:
        by_item.setdefault(row.item, []).append(row)
    scores = {item: sum(score_marks(question, row) for row in rows) / len(rows) for item, rows in by_item.items()}
    worst = sorted((item for item in scores if scores[item] < 0), key=lambda item: (scores[item], item))[:MOST_TEXTS]
    rows = [_marked_text(by_item[item], scores[item]) for item in worst]
    return MarkedTexts(f"{key}-texts", "Texts with the lowest scores", rows)


def _marked_text(rows: Sequence[Answer], score: float) -> MarkedText:
    text = rows[0].text
    places = find_words(text)
    labels = [covered_words(places, load_marks(row.answer)) for row in rows]
    shares = [sum(column) / len(rows) for column in zip(*labels, strict=True)]
    words = [text[start:end] for start, end in places]
    if len(words) > MOST_WORDS:
        words, shares = [*words[:MOST_WORDS], "…"], [*shares[:MOST_WORDS], 0.0]
    return MarkedText(f"{rows[0].system}, {rows[0].sample}", f"score {format_decimal(score, 1)}", words, shares)
