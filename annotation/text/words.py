"""Words, counted one way everywhere: the pieces between white space."""


def n_words(text: str) -> int:
    """White-space tokens of a text. The 5,000 rule, the sample budget and the length ratio use this count."""
    return len(text.split())
