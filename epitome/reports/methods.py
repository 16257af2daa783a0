"""The methods paragraph of a report, filled in from the frozen design, ready to edit."""

from collections.abc import Mapping, Sequence

from epitome.reports.answers import Frame, ReportQuestion
from epitome.rounds.question_types import TYPES


def methods_paragraph(frame: Frame) -> str:
    """Plain sentences. Facts that the design does not contain are omitted.

    Uses of frame.facts: samples, same_samples, asked (keys of the questions that some item asked; if missing, all),
    raters, raters_per_item, cleared (exceptions for a rater's own sources), shown, apart, foils, repeats,
    excluded, design_seed, items_hash, counted (attributes that are measured, not asked), pairs_by (target or value, of
    rounds that show pairs), texts (summaries of an item), pay (what raters were paid, in words), items_per_person (of
    raters who joined by a crowd link), consent (whether they agreed to a consent page), extra_ratings (of items whose
    raters disagreed), outside (raters, ratings and tools of answers that were imported).
    """
    facts = frame.facts
    sentences = [
        _systems_sentence(frame, facts),
        _raters_sentence(facts),
        _crowd_sentences(facts),
        _presentation_sentence(facts),
        _quality_sentence(facts),
        _extra_sentence(facts),
        _outside_sentence(facts),
        _statistics_sentences(frame),
        _design_sentence(facts),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _systems_sentence(frame: Frame, facts: Mapping[str, object]) -> str:
    if isinstance(facts.get("examples"), Mapping):
        return _examples_sentence(frame, facts)
    systems = _join_words([_system_label(name) for name in frame.systems])
    domains = _join_words([name for _key, name in frame.domains])
    asked_keys = facts.get("asked")
    asked_questions = [
        candidate
        for candidate in frame.questions
        if not candidate.asks.free and (not isinstance(asked_keys, list) or candidate.key in asked_keys)
    ]
    drawn = "the same samples for all of them" if facts.get("same_samples") else "drawn for each of them on its own"
    return (
        f"We compared {systems} on {facts.get('samples', 'n')} samples per system and domain ({domains}), {drawn}. "
        + _asked_sentences(asked_questions, facts.get("texts"))
        + (_counted_sentence(facts) if any(question.attribute for question in asked_questions) else "")
    )


def _examples_sentence(frame: Frame, facts: Mapping[str, object]) -> str:
    """What was rated in a check of contrastive examples."""
    examples = facts["examples"]
    assert isinstance(examples, Mapping)
    whose = f" that {examples['not_dodged_by']} did not dodge" if examples.get("not_dodged_by") else ""
    drawn = f"up to {examples.get('per_rule', 'n')} of each rule, drawn at random from the contrastive examples{whose}"
    return f"Raters judged contrastive examples of human summaries ({drawn}). " + _asked_sentences(frame.questions, 1)


def _asked_sentences(questions: Sequence[ReportQuestion], n_texts: object) -> str:
    """What raters did: answered about summaries, or compared two or more."""
    choices = [question for question in questions if question.asks.compares_pairs]
    lists = [question for question in questions if question.asks.arranges]
    marking = [question for question in questions if question.asks.marks]
    others = [question for question in questions if question not in (*choices, *lists, *marking)]
    sentences = []
    if others or not (choices or lists or marking):
        sentences.append(f"Raters were asked about {_join_words([question.label for question in others])}.")
    for question in choices:
        answers = "one of the two, or no difference" if question.asks.takes_tie else "one of the two"
        sentences.append(
            f"Raters saw two summaries side by side and answered “{question.text or question.label}” with {answers}."
        )
    for question in lists:
        sentences.append(
            f"Raters saw {n_texts or 'several'} summaries of each sample in a random order and, for "
            f"“{question.text or question.label}”, {question.asks.deed}."
        )
    sentences += [_marking_sentences(question) for question in marking]
    if reasoned := [question.label for question in questions if question.why]:
        sentences.append(f"They were asked to give a reason with {_join_words(reasoned)}.")
    return " ".join(sentences)


def _marking_sentences(question: ReportQuestion) -> str:
    """How errors were marked and scored."""
    weights = _join_words([f"{name} ({weight:g})" for name, weight in question.severities])
    categories = f", and each a category ({_join_words(question.values)})" if question.values else ""
    omission = " Omissions were recorded without a place." if question.omission else ""
    return (
        f"For “{question.text or question.label}” raters marked the words of every error; each error was given a "
        f"severity with its weight, {weights}{categories}.{omission} The score of a system is minus the sum of the "
        "weights per 100 words of its summaries."
    )


def _system_label(name: str) -> str:
    return "the human references" if name.casefold() == "gold" else name


def _counted_sentence(facts: Mapping[str, object]) -> str:
    counted = facts.get("counted")
    if not isinstance(counted, Sequence) or isinstance(counted, str) or not counted:
        return ""
    return f" {_join_words([str(label) for label in counted])} was counted by a program, not asked."


def _raters_sentence(facts: Mapping[str, object]) -> str:
    n, raters_per_item = facts.get("raters"), facts.get("raters_per_item")
    if not n or not raters_per_item:
        return ""
    people = "rater" if n == 1 else "raters"
    rule = "Nobody was given a source they had written on or inspected"
    cleared = facts.get("cleared")
    exceptions = f", but for {cleared} exceptions, each noted with its reason" if cleared else ""
    return f"{n} {people} took part; each item was to be judged by {raters_per_item}. {rule}{exceptions}."


def _crowd_sentences(facts: Mapping[str, object]) -> str:
    sentences = []
    if each := facts.get("items_per_person"):
        agreed = ", after agreeing to a consent page that states the purpose" if facts.get("consent") else ""
        sentences.append(f"Raters came from a crowd platform{agreed} and judged at most {each} items each.")
    if pay := facts.get("pay"):
        sentences.append(f"Raters were paid {pay}.")
    return " ".join(sentences)


def _presentation_sentence(facts: Mapping[str, object]) -> str:
    visible_material = f"Raters saw {facts['shown']}. " if facts.get("shown") else ""
    apart = facts.get("apart")
    spacing = (
        f", with the items of one source planned at least {apart} places apart"
        if isinstance(apart, int) and apart > 1
        else ""
    )
    return (
        f"{visible_material}Systems were hidden: items carried random names of their own for each rater, "
        f"in an order balanced over systems{spacing}."
    )


def _quality_sentence(facts: Mapping[str, object]) -> str:
    foils, repeats = facts.get("foils", 0), facts.get("repeats", 0)
    if not foils and not repeats:
        return ""
    mixed_in = ([f"{foils} foils with one unarguable answer"] if foils else []) + (
        [f"{repeats} repeats"] if repeats else []
    )
    dropped = facts.get("excluded", 0)
    exclusion = f" By the rules fixed before, {dropped} raters were left out." if dropped else ""
    return f"{_join_words(mixed_in)} were mixed in; they are part of no number reported here.{exclusion}"


def _extra_sentence(facts: Mapping[str, object]) -> str:
    n = facts.get("extra_ratings")
    if not n:
        return ""
    rated = "1 item whose raters disagreed was rated" if n == 1 else f"{n} items whose raters disagreed were rated"
    return f"{rated} once more by another rater; these ratings are part of no number reported here."


def _outside_sentence(facts: Mapping[str, object]) -> str:
    outside = facts.get("outside")
    if not isinstance(outside, Mapping):
        return ""
    people = "1 more rater" if outside["raters"] == 1 else f"{outside['raters']} more raters"
    ratings = "1 rating was" if outside["ratings"] == 1 else f"{outside['ratings']} ratings were"
    return (
        f"Imported: {people} worked in {_join_words(list(outside['tools']))}; {ratings} imported by the text of the "
        "output and count like the others. What these raters saw there, and whether systems were hidden from them, is "
        "not known here."
    )


def _statistics_sentences(frame: Frame) -> str:
    sentences = [
        "Shares have Wilson 95 % intervals on the effective number of answers (their number over the design effect of "
        "sources); means and coefficients have bootstrap intervals (percentile, expanded for few sources) that draw "
        f"whole sources ({frame.replicates} replicates, seed {frame.seed})."
    ]
    if len(frame.raters) > 1 and any(question.asks.is_categorical for question in frame.questions):
        sentences[0] = sentences[0].removesuffix(".") + (
            "; where fewer than ten sources have a disagreement, those of agreement reach as far as Wilson's of the "
            "observed agreement."
        )
    if len(frame.raters) > 1:
        kappa = "kappa as the mean over pairs of raters (Light, 1971)" if len(frame.raters) > 2 else "Cohen's kappa"
        if any(question.asks.is_categorical for question in frame.questions):
            sentences.append(f"Agreement is {kappa}, with Krippendorff's alpha and Gwet's AC1 beside it.")
        kinds = {question.asks for question in frame.questions}
        own = dict.fromkeys(kind.agreement for kind in TYPES.values() if kind in kinds)
        sentences += [f"{agreement.sentence}." for agreement in own if agreement is not None]
    if len(frame.systems) < 2:
        return " ".join(sentences)
    compared = [question.asks for question in frame.questions if question.asks.compared]
    if not all(kind.compares_pairs for kind in compared):
        sentences.append(
            "Differences between systems are tested by paired permutation over sources with Holm's correction."
        )
    if any(kind.compares_pairs for kind in compared) and frame.facts.get("pairs_by") != "value":
        sentences.append(
            "Preferences are tested by flipping the signs of whole sources (+1 for the first system, 0 for a tie, -1 "
            "for the second) with Holm's correction over the pairs of systems."
        )
    return " ".join(sentences)


def _design_sentence(facts: Mapping[str, object]) -> str:
    if not facts.get("items_hash"):
        return ""
    return (
        f"The design was frozen before the first judgement (seed {facts.get('design_seed')}, SHA-256 of the list of "
        f"items {str(facts['items_hash'])[:16]})."
    )


def _join_words(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words) or "nothing"
    return f"{', '.join(words[:-1])} and {words[-1]}"
