"""Readers of scientific papers: JSON lines, TEI of GROBID and LaTeX; and what of a paper becomes a source."""

from epitome.formats.papers.choosing import Chosen, LeftOutPaper, choose_parts
from epitome.formats.papers.paper import Paper, PaperFault, Section
from epitome.formats.papers.reading import ENDINGS, read_papers

__all__ = ["ENDINGS", "Chosen", "LeftOutPaper", "Paper", "PaperFault", "Section", "choose_parts", "read_papers"]
