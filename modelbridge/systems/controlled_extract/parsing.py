"""Dependency parses of single sentences by the shipped parser. Relations are Universal Dependencies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

from annotation.text.pipeline import PipelineNotFound, load_pipeline, pipeline_id
from modelbridge.systems.controlled_extract.letter_case import PLAIN_CASING, Casing

if TYPE_CHECKING:
    from spacy.language import Language

PARSER: Final = "en_epitome_dep"
NEGATIONS: Final = frozenset(
    {"not", "n't", "never", "no", "nobody", "nothing", "none", "neither", "nor", "without", "cannot"}
)
_BATCH = 64


@dataclass(frozen=True, slots=True)
class Node:
    """A token. place: its number; head: that of the token it depends on (its own for the root). tag: Penn. relation:
    Universal Dependencies, "root" for the root."""

    place: int
    text: str
    start: int
    end: int
    tag: str
    head: int
    relation: str

    @property
    def low(self) -> str:
        return self.text.lower()

    @property
    def plain_relation(self) -> str:
        return self.relation.split(":")[0]


@dataclass(frozen=True)
class Parse:
    """text: of the sentence. nodes: its tokens, with their places in the text. casing: of the source."""

    text: str
    nodes: tuple[Node, ...]
    casing: Casing = PLAIN_CASING

    @cached_property
    def _children(self) -> dict[int, list[Node]]:
        below: dict[int, list[Node]] = {}
        for node in self.nodes:
            if node.head != node.place:
                below.setdefault(node.head, []).append(node)
        return below

    @cached_property
    def root(self) -> Node | None:
        return next((node for node in self.nodes if node.relation == "root"), None)

    def children(self, node: Node, *relations: str) -> list[Node]:
        """In order; only those with one of the relations, subtypes included, if any are named."""
        below = self._children.get(node.place, [])
        return [
            child
            for child in below
            if not relations or child.plain_relation in relations or child.relation in relations
        ]

    def subtree(self, node: Node) -> list[Node]:
        """The node and all below it, in order."""
        places, waiting = {node.place}, [node.place]
        while waiting:
            for child in self._children.get(waiting.pop(), []):
                if child.place not in places:
                    places.add(child.place)
                    waiting.append(child.place)
        return [self.nodes[place] for place in sorted(places)]

    def span(self, node: Node) -> tuple[int, int] | None:
        """Code points of a subtree; None if its tokens do not stand together."""
        return self.span_of(self.subtree(node))

    def span_of(self, nodes: Sequence[Node]) -> tuple[int, int] | None:
        if not nodes or nodes[-1].place - nodes[0].place != len(nodes) - 1:
            return None
        return nodes[0].start, nodes[-1].end

    def before(self, node: Node) -> Node | None:
        return self.nodes[node.place - 1] if node.place else None

    def after(self, node: Node) -> Node | None:
        return self.nodes[node.place + 1] if node.place + 1 < len(self.nodes) else None

    def having(self, *relations: str) -> Iterator[Node]:
        return (node for node in self.nodes if node.relation in relations or node.plain_relation in relations)


class Parser:
    """Parses sentences; `id` names the weights."""

    def __init__(self, nlp: "Language") -> None:
        self._nlp, self.id = nlp, pipeline_id(nlp)

    def parse_all(self, texts: Sequence[str], casing: Casing | None = None) -> list[Parse]:
        """One parse for each text, which is taken as one sentence. casing: of the source."""
        from spacy.tokens import Doc

        docs: list[Doc] = [self._nlp.make_doc(text) for text in texts]
        for doc in docs:
            for token in doc:
                token.is_sent_start = token.i == 0
        return [
            Parse(
                doc.text,
                tuple(
                    Node(
                        token.i,
                        token.text,
                        token.idx,
                        token.idx + len(token.text),
                        token.tag_,
                        token.head.i,
                        "root" if token.dep_ == "ROOT" else token.dep_,
                    )
                    for token in doc
                ),
                casing or PLAIN_CASING,
            )
            for doc in self._nlp.pipe(docs, batch_size=_BATCH)
        ]


@cache
def load_parser() -> Parser | None:
    """The shipped parser; None if it cannot be loaded, in which case nothing is rephrased."""
    try:
        return Parser(load_pipeline(PARSER))
    except (PipelineNotFound, ImportError):
        return None
