"""The paragraph on methods, from the frozen design: numbers filled in, ready to edit."""

from collections.abc import Mapping, Sequence

from evaluation.reports.answers import Frame


def methods(frame: Frame) -> str:
    """Plain sentences. What the design does not say is not said.

    Of frame.facts are used: samples, same_samples, asked (keys of the questions that some item asked; left out: all),
    raters, raters_per_item, cleared (exceptions to the rule on sources of one's own), shown, apart, foils, repeats,
    excluded, design_seed, items_hash, counted (attributes that are measured, not asked).
    """
    facts = frame.facts
    told = [_what(frame, facts), _who(facts), _how(facts), _quality(facts), _numbers(frame), _frozen(facts)]
    return " ".join(sentence for sentence in told if sentence)


def _what(frame: Frame, facts: Mapping[str, object]) -> str:
    systems = _and([_gold(name) for name in frame.systems])
    domains = _and([name for _key, name in frame.domains])
    met = facts.get("asked")
    kept = [one for one in frame.questions if one.type != "note" and (not isinstance(met, list) or one.key in met)]
    asked = _and([question.label for question in kept])
    drawn = "the same samples for all of them" if facts.get("same_samples") else "drawn for each of them on its own"
    return (
        f"We compared {systems} on {facts.get('samples', 'n')} samples per system and domain ({domains}), {drawn}. "
        f"Raters were asked about {asked}." + _counted(facts)
    )


def _gold(name: str) -> str:
    return "the human references" if name.casefold() == "gold" else name


def _counted(facts: Mapping[str, object]) -> str:
    counted = facts.get("counted")
    if not isinstance(counted, Sequence) or isinstance(counted, str) or not counted:
        return ""
    return f" {_and([str(each) for each in counted])} was counted by a program, not asked."


def _who(facts: Mapping[str, object]) -> str:
    n, each = facts.get("raters"), facts.get("raters_per_item")
    if not n or not each:
        return ""
    people = "rater" if n == 1 else "raters"
    rule = "Nobody was given a source they had written on or inspected"
    cleared = facts.get("cleared")
    told = f", but for {cleared} exceptions, each noted with its reason" if cleared else ""
    return f"{n} {people} took part; each item was to be judged by {each}. {rule}{told}."


def _how(facts: Mapping[str, object]) -> str:
    shown = f"Raters saw {facts['shown']}. " if facts.get("shown") else ""
    apart = facts.get("apart")
    far = (
        f", with the items of one source planned at least {apart} places apart"
        if isinstance(apart, int) and apart > 1
        else ""
    )
    return (
        f"{shown}Systems were hidden: items carried random names of their own for each rater, in an order balanced "
        f"over systems{far}."
    )


def _quality(facts: Mapping[str, object]) -> str:
    foils, repeats = facts.get("foils", 0), facts.get("repeats", 0)
    if not foils and not repeats:
        return ""
    parts = ([f"{foils} foils with one unarguable answer"] if foils else []) + (
        [f"{repeats} repeats"] if repeats else []
    )
    dropped = facts.get("excluded", 0)
    told = f" By the rules fixed before, {dropped} raters were left out." if dropped else ""
    return f"{_and(parts)} were mixed in; they are part of no number reported here.{told}"


def _numbers(frame: Frame) -> str:
    alone = "Shares of one rater have Wilson 95 % intervals; pooled" if frame.of_type("yes-no") else "Pooled"
    told = [
        f"{alone} numbers and coefficients have percentile bootstrap intervals that draw whole sources "
        f"({frame.replicates} replicates, seed {frame.seed})."
    ]
    if len(frame.raters) > 1:
        told.append("Agreement is Cohen's kappa, with Krippendorff's alpha and Gwet's AC1 beside it.")
    if len(frame.systems) > 1 and frame.of_type("yes-no", "likert"):
        told.append("Differences between systems are tested by paired permutation over sources with Holm's correction.")
    return " ".join(told)


def _frozen(facts: Mapping[str, object]) -> str:
    if not facts.get("items_hash"):
        return ""
    return (
        f"The design was frozen before the first judgement (seed {facts.get('design_seed')}, SHA-256 of the list of "
        f"items {str(facts['items_hash'])[:16]})."
    )


def _and(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words) or "nothing"
    return f"{', '.join(words[:-1])} and {words[-1]}"
