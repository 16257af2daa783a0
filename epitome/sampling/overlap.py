"""How many people write each sample: all alike, or more for a share of the samples or sources that the seed chooses."""

from hashlib import sha256

from epitome.sampling.options import ResolvedOptions, SamplerOptions

_RANGE = 2**64


def count_writers(options: SamplerOptions | ResolvedOptions, external_id: str, position: int) -> int:
    """How many people write the sample at this position of a source.

    Each sample (or source) is chosen on its own, with the chance `more_share` per cent, by a hash of the seed and its
    name: whatever else is drawn before, beside or after it, the choice stays the same.
    """
    if options.more_writers is None:
        return options.overlap
    unit = external_id if options.more_by == "source" else f"{external_id}#{position}"
    digest = sha256(f"writers|{options.seed}|{unit}".encode()).digest()
    is_chosen = int.from_bytes(digest[:8]) / _RANGE < options.more_share / 100
    return max(options.overlap, options.more_writers) if is_chosen else options.overlap


def mean_writers(options: SamplerOptions | ResolvedOptions) -> float:
    """How many people write a sample on average, before anything is drawn."""
    if options.more_writers is None:
        return float(options.overlap)
    return options.overlap + options.more_share / 100 * max(0, options.more_writers - options.overlap)
