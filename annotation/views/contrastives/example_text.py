"""The text of a contrastive example with its changed words marked."""

from collections.abc import Iterable

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.services.contrastives.set_numbers import Piece

NOTHING = "…"
"""Replaces a word that was left out."""


def render_pieces(pieces: Iterable[Piece]) -> SafeString:
    """Changed words are marked; what the gold summary says comes with each, for hover, focus and screen readers."""
    return format_html_join("", "{}", ((_render_piece(piece),) for piece in pieces))


def _render_piece(piece: Piece) -> str:
    if piece.was is None:
        return piece.text
    return format_html(
        '<span class="swap" tabindex="0"><ins>{}</ins><span class="was"><span class="visually-hidden"> ({} </span>'
        '<del>{}</del><span class="visually-hidden">)</span></span></span>',
        piece.text or NOTHING,
        _("the gold summary says:"),
        piece.was or NOTHING,
    )
