"""Names and descriptions of built-in round templates and presets in the reader's language; their files are English."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

BUILT_IN = (
    gettext_noop("Phrases for several entities"),
    gettext_noop(
        "The rater sees several people, places or organizations with their backgrounds, the text that "
        "mentions them, and one phrase that stands for all of them, and says whether it fits."
    ),
    gettext_noop("Which value was asked for?"),
    gettext_noop(
        "The rater sees the source and one summary, not the request, and says which value of each attribute "
        "was asked for. This gives a confusion matrix for each attribute, free of the habit of saying yes."
    ),
    gettext_noop("Empirical focus of two summaries (CCSBench)"),
    gettext_noop(
        "The rater sees a reference abstract and two summaries: agreement with the abstract (1, 2), which one"
        " is more empirical (3), fluency (4, 5). Gives FAC, CTRL and FLU."
    ),
    gettext_noop("Readability of two summaries (CCSBench)"),
    gettext_noop(
        "The rater sees two summaries and nothing else: whether they agree (1), which one is more readable "
        "(2), fluency (3, 4). Gives FAC, CTRL and FLU."
    ),
    gettext_noop("Contrastive examples: readable, and true?"),
    gettext_noop(
        "The rater sees a summary by a person, the same summary with one or two words changed (in bold), and "
        "the source, and says whether the change made it hard to read and whether it made it say something "
        "else. An example that is neither can be excluded."
    ),
    gettext_noop("Mark errors by severity, then score the whole (ESA)"),
    gettext_noop(
        "The rater sees the source, the requested attributes and one summary, marks the words of every error "
        "as minor or major, and then gives the summary one score from 0 to 100."
    ),
    gettext_noop("Mark errors, with category and severity (MQM)"),
    gettext_noop(
        "The rater sees the source, the requested attributes and one summary, marks the words of every error "
        "and gives each a category and a severity. The score is minus the weights per 100 words."
    ),
    gettext_noop("Quality on five-step scales"),
    gettext_noop(
        "The rater sees the source, the requested attributes and one summary, and rates its overall quality, "
        "fluency and factual consistency on scales of five steps."
    ),
    gettext_noop("Overall quality on five-step scales"),
    gettext_noop(
        "The rater sees the source and one summary, and rates its overall quality, coherence, consistency with the "
        "source, fluency and relevance on scales of five steps. For summaries that were written without a request."
    ),
    gettext_noop("Which of two summaries is better, without a request?"),
    gettext_noop(
        "The rater sees the source and two summaries, and says which is better, or that there is no difference. For "
        "summaries that were written without a request."
    ),
    gettext_noop("Yes or no for each attribute (MACSum)"),
    gettext_noop(
        "The rater sees the source, the requested attributes and one summary, and says of each attribute "
        "whether the request was followed. Length is counted, not asked."
    ),
    gettext_noop("Which of two summaries is better?"),
    gettext_noop(
        "The rater sees the source, the requested attributes and two summaries, and says which does better "
        "what was asked, or that there is no difference."
    ),
    gettext_noop("The best and the worst of several summaries"),
    gettext_noop(
        "The rater sees the source, the requested attributes and the summaries of all targets (three to six), and "
        "picks the best and the worst. Cheaper than rating each one by itself, and every item tells systems apart."
    ),
    gettext_noop("Several summaries in order"),
    gettext_noop(
        "The rater sees the source, the requested attributes and the summaries of all targets (three to six), and "
        "puts them in order, the best first. Says more of the middle than a best and a worst, and takes longer."
    ),
    gettext_noop("Phrases of the annotators"),
    gettext_noop("Focus of the constructed summaries"),
    gettext_noop("Readability of the constructed summaries"),
    gettext_noop("Human check of the contrastive examples"),
)
"""The texts of the TOML files in `epitome/rounds/`, so that catalogues have them."""


def translate_built_in(text: str) -> str:
    """A text of a built-in template or preset, translated; any other text as it is."""
    return _(text) if text in BUILT_IN else text
