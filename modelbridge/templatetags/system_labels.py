"""Labels of the kinds and roles of systems and of the methods of training."""

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext_lazy

from epitome.systems.kinds import find_kind

register = template.Library()


BUILT_IN = (
    gettext_noop("BART, pre-trained, by likelihood"),
    gettext_noop("BART-large-cnn, untrained"),
    gettext_noop("Chat model as a judge"),
    gettext_noop("Chat model that rewrites abstracts"),
    gettext_noop("Chat model, refined"),
    gettext_noop("Chat model, zero-shot"),
    gettext_noop("Controlled extract"),
    gettext_noop("Embedding of the backgrounds' common words"),
    gettext_noop("Frequency in train"),
    gettext_noop("Lead"),
    gettext_noop("Random order"),
    gettext_noop("Random sentences"),
    gettext_noop("SmolLM2 135M as a judge"),
    gettext_noop("SmolLM2 135M, zero-shot"),
    gettext_noop("SmolLM2 135M, trained"),
    gettext_noop("TextRank"),
)
"""The names of the configurations in `epitome/systems/configs/`, so that catalogues have them."""
NOUNS = {"uploaded predictions": pgettext_lazy("noun", "uploaded predictions")}
"""Labels of kinds that are the words of something else too."""


@register.filter
def kind_label(kind: str) -> str:
    """The kind of a system in words; a kind of another version of the program as it is stored."""
    label = find_kind(kind).label
    return str(NOUNS[label]) if label in NOUNS else _(label)


@register.filter
def built_in_name(name: str) -> str:
    """The name of a built-in configuration, translated; any other name as it is. Added to a project it stays English,
    as reports and files need it."""
    return _(name) if name in BUILT_IN else name


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
