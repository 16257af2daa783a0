"""Questions about one side of a page, and the texts that were there."""


def judged_text_number(left_text: int, about: str) -> int:
    """Which of the item's texts a question is about: 1, 2, or 0 for a single text or for both. left_text: which text
    was on the left side, 1 or 2."""
    return {"a": left_text, "b": 3 - left_text}.get(about, 0)
