"""Labels of the kinds and roles of systems and of the methods of training."""

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

register = template.Library()


@register.filter
def kind_label(kind: str) -> str:
    """The kind of a system in words; a kind of another version of the program as it is stored."""
    labels = {
        "lead": _("first sentences"),
        "textrank": _("TextRank"),
        "random": _("random sentences"),
        "controlled-extract": _("extractive, follows requests"),
        "upload": pgettext("noun", "uploaded predictions"),
        "chat": _("chat model"),
        "chat-judge": _("chat model as rater"),
        "chat-rewrite": _("chat model that rewrites abstracts"),
        "seq2seq": _("sequence-to-sequence model"),
        "soft-prefix": _("soft-prefix model"),
        "lora": _("LoRA model"),
        "lorahub": _("merged LoRA adapters (LoRAHub)"),
        "adapter-fusion": _("adapters, with fusion where there are several"),
        "causal": _("causal language model"),
        "likelihood": _("ranks by log-probability"),
        "rank-random": _("random order"),
        "rank-frequency": _("ranks by frequency in train"),
        "rank-feature": _("ranks by one feature"),
        "rank-logistic": _("logistic regression over features"),
        "rank-classifier": _("classifier of candidates"),
        "seq2seq-scorer": _("scorer, sequence-to-sequence"),
        "causal-scorer": _("scorer, causal language model"),
        "extract-scorer": _("scorer of extract-then-rewrite systems"),
        "fake": _("for tests"),
    }
    return labels.get(kind, kind)


@register.filter
def built_in_name(name: str) -> str:
    """The name of a built-in configuration, translated; any other name as it is. Added to a project it stays English,
    as reports and files need it."""
    names = {
        "BART, pre-trained, by likelihood": _("BART, pre-trained, by likelihood"),
        "BART-large-cnn, untrained": _("BART-large-cnn, untrained"),
        "Chat model as a judge": _("Chat model as a judge"),
        "Chat model that rewrites abstracts": _("Chat model that rewrites abstracts"),
        "Chat model, zero-shot": _("Chat model, zero-shot"),
        "Controlled extract": _("Controlled extract"),
        "Embedding of the backgrounds' common words": _("Embedding of the backgrounds' common words"),
        "Frequency in train": _("Frequency in train"),
        "Lead": _("Lead"),
        "Random order": _("Random order"),
        "Random sentences": _("Random sentences"),
        "TextRank": _("TextRank"),
    }
    return names.get(name, name)


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
        "lorahub": _("LoRAHub"),
        "adapter": _("bottleneck adapter"),
        "adapter-fusion": _("AdapterFusion"),
        "rank-logistic": _("ranking, logistic regression"),
        "rank-generative": _("ranking, generative"),
        "rank-classifier": _("ranking, discriminative"),
    }
    return labels.get(method, method)


@register.filter
def over_label(over: str) -> str:
    """What a run worked on, in words; "" for the requests of its samples."""
    key, _colon, argument = over.partition(":")
    labels = {
        "references": _("human summaries"),
        "run": _("outputs of run %(id)s") % {"id": argument[:8]},
        "changed": _("changed: %(attribute)s") % {"attribute": argument},
        "contrastives": _("contrastive examples"),
        "ranking": _("ranking lists of %(release)s") % {"release": argument},
    }
    return labels.get(key, over)
