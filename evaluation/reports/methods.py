"""The paragraph on methods, from the frozen design: numbers filled in, ready to edit."""

from collections.abc import Mapping, Sequence

from evaluation.reports.answers import Frame


def methods(frame: Frame) -> str:
    """Plain sentences. What the design does not say is not said.

    Of frame.facts are used: protocol, samples, raters_per_item, raters, items, judgements, same_samples, order, shown,
    foils, repeats, design_hash, design_seed, items_hash, excluded, counted (attributes that are measured, not asked).
    """
    facts = frame.facts
    told = [_what(frame, facts), _who(facts), _how(facts), _quality(facts), _numbers(frame), _frozen(facts)]
    return " ".join(sentence for sentence in told if sentence)


def _what(frame: Frame, facts: Mapping[str, object]) -> str:
    systems = _and([_gold(name) for name in frame.systems])
    domains = _and([name for _key, name in frame.domains])
    asked = _and([question.label for question in frame.questions if question.type != "note"])
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
    return (
        f"{n} {people} took part; each item was judged by {each}. Nobody judged a source they had written on or "
        "inspected."
    )


def _how(facts: Mapping[str, object]) -> str:
    shown = f"Raters saw {facts['shown']}. " if facts.get("shown") else ""
    return (
        f"{shown}Systems were hidden: items carried random names of their own for each rater, in an order balanced "
        "over systems, with outputs of one source at least ten items apart."
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
    return (
        "Shares of one rater have Wilson 95 % intervals; pooled numbers and coefficients have percentile bootstrap "
        f"intervals that draw whole sources ({frame.replicates} replicates, seed {frame.seed}). Agreement is Cohen's "
        "kappa, with Krippendorff's alpha and Gwet's AC1 beside it; differences between systems are tested by paired "
        "permutation over sources with Holm's correction."
    )


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
