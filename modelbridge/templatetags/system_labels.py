"""Labels of the kinds and roles of systems and of the methods of training."""

from django import template
from django.utils.translation import gettext as _

register = template.Library()


@register.filter
def kind_label(kind: str) -> str:
    """The kind of a system in words; a kind of another version of the program as it is stored."""
    labels = {
        "lead": _("first sentences"),
        "textrank": _("TextRank"),
        "random": _("random sentences"),
        "controlled-extract": _("extractive, follows requests"),
        "upload": _("uploaded predictions"),
        "chat": _("chat model"),
        "chat-judge": _("chat model as rater"),
        "chat-rewrite": _("chat model that rewrites abstracts"),
        "seq2seq": _("sequence-to-sequence model"),
        "soft-prefix": _("soft-prefix model"),
        "lora": _("LoRA model"),
        "causal": _("causal language model"),
        "likelihood": _("ranks by log-probability"),
        "seq2seq-scorer": _("scorer, sequence-to-sequence"),
        "causal-scorer": _("scorer, causal language model"),
        "fake": _("for tests"),
    }
    return labels.get(kind, kind)


@register.filter
def role_label(role: str) -> str:
    """What a system does, in words."""
    labels = {
        "generate": _("writes summaries"),
        "score": _("scores texts"),
        "rank": _("ranks texts"),
        "transform": _("rewrites texts"),
        "judge": _("answers questions about texts"),
    }
    return labels.get(role, role)


@register.filter
def method_label(method: str) -> str:
    """A method of training in words."""
    labels = {
        "vanilla": _("without control"),
        "hp": _("hard prompt"),
        "sp": _("soft prefix"),
        "hp+sp": _("hard prompt and soft prefix"),
        "lora": _("LoRA"),
    }
    return labels.get(method, method)
