"""Where an article mentions its entities: names and parts of names, as whole words; pronouns are left out."""

import re
from collections.abc import Mapping

from epitome.aggregations.articles import ABSTRACT, Article, Mention

MentionsByEntity = Mapping[int, list[Mention]]
"""Number of the entity in its article -> its mentions, in the order of the text; those of the abstract come first."""


def find_mentions(article: Article) -> dict[int, list[Mention]]:
    """The mentions of every entity. Where names overlap the longest one counts, so that "Port Issel" is not "Issel"; a
    text that two entities are called by counts for neither."""
    entity_by_text: dict[str, int | None] = {}
    for index, entity in enumerate(article.entities):
        for text in (entity.name, *entity.aliases):
            entity_by_text[text] = index if entity_by_text.get(text, index) == index else None
    mentions: dict[int, list[Mention]] = {number: [] for number in range(len(article.entities))}
    if not entity_by_text:
        return mentions
    pattern = _compile_names(entity_by_text)
    for segment, text in enumerate((article.abstract, *article.sentences), ABSTRACT):
        for match in pattern.finditer(text):
            owner = entity_by_text.get(" ".join(match.group().split()))
            if owner is not None:
                mentions[owner].append(Mention(segment, match.start(), match.end()))
    return mentions


def _compile_names(texts: Mapping[str, int | None]) -> re.Pattern[str]:
    """Any of the texts as whole words, the longest first; blanks in a name may be any blanks in the article."""
    longest_first = sorted(texts, key=lambda text: (-len(text), text))
    names = (r"\s+".join(map(re.escape, text.split())) for text in longest_first)
    return re.compile(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)")
