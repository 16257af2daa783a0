"""The one definition of word counts: white-space tokens."""


def n_words(text: str) -> int:
    """White-space tokens of a text. The 5,000 rule, the sample budget and the length ratio use this count."""
    return len(text.split())
