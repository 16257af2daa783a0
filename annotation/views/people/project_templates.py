"""The templates a new project can start from, in words for people, and the languages of texts."""

from collections.abc import Iterator
from typing import NamedTuple

from django.conf.locale import LANG_INFO
from django.forms import BoundField
from django.forms.boundfield import BoundWidget
from django.utils.functional import Promise
from django.utils.translation import get_language_info, gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from annotation.kinds import project_kinds
from annotation.models import Project
from annotation.services.core.word_patterns import list_separator, name_value
from epitome.schema.starter import starter_text

OWN_DOCUMENTS, OWN_DIALOGUES = "own-document", "own-dialogue"
MORE_LANGUAGES = {
    "am": _("Amharic"),
    "ckb": _("Central Kurdish"),
    "ha": _("Hausa"),
    "ms": _("Malay"),
    "nb": _("Norwegian Bokmål"),
    "no": _("Norwegian"),
    "ps": _("Pashto"),
    "so": _("Somali"),
    "tk": _("Turkmen"),
    "ug": _("Uyghur"),
    "yo": _("Yoruba"),
    "zu": _("Zulu"),
}
"""Languages that Django has no name for, or none in some language of the interface."""


USUAL_TEMPLATE, TEMPLATE_OF_SHORT_TEXTS = "macsum-doc", "short-articles"


class ProjectTemplate(NamedTuple):
    """key: the preset, or one of the own ones. picture: "document" or "dialogue". chips: what a request looks like."""

    key: str
    name: str | Promise
    sentence: str | Promise
    used_by: str | Promise
    picture: str
    chips: tuple[str | Promise, ...]


TEMPLATES = (
    ProjectTemplate(
        "macsum-doc",
        _("News and other articles"),
        _("Summaries of a given length, closeness to the text, detail and topic."),
        _("For controllable summarization of documents, as in MACSum."),
        "document",
        (_("Short"), _("Own words"), _("Topic")),
    ),
    ProjectTemplate(
        "short-articles",
        _("Short articles"),
        _("The same with lengths in words: 8 to 20, 21 to 40 or 41 to 60, whatever the topic."),
        _("For texts under 250 words, where a share of the text is only a few words."),
        "document",
        (_("8–20 words"), _("Own words"), _("Topic")),
    ),
    ProjectTemplate(
        "macsum-dial",
        _("Meetings and conversations"),
        _("The same for transcripts, and summaries about what chosen speakers said."),
        _("For meeting and dialogue summarization, as in MACSum and QMSum."),
        "dialogue",
        (_("Long"), _("Topic"), _("Speaker")),
    ),
    ProjectTemplate(
        "ccsbench",
        _("Scientific papers"),
        _("Summaries by length in words, keywords, readability and focus."),
        _("For science communication and lay summaries, as in CCSBench."),
        "document",
        (_("50 words"), _("Readable"), _("Keywords")),
    ),
    ProjectTemplate(
        "aclsum",
        _("Aspects of scientific papers"),
        _("One sentence each on the challenge, the approach and the outcome of a paper."),
        _("For aspect-based summarization, as in ACLSum."),
        "document",
        (_("Challenge"), _("Approach"), _("Outcome")),
    ),
    ProjectTemplate(
        "tesa",
        _("Entity aggregation"),
        _("One phrase for several people, places or organizations of an article; three annotators each."),
        _("For semantic aggregation of entities, as in TESA."),
        "document",
        (pgettext_lazy("names", "People"), pgettext_lazy("names", "Places"), _("Organizations")),
    ),
    ProjectTemplate(
        OWN_DOCUMENTS,
        _("Own attributes, documents"),
        _("Starts with one attribute; you define the others before anything is drawn."),
        _("For a design that no template has."),
        "document",
        (_("Length"), "…", "…"),
    ),
    ProjectTemplate(
        OWN_DIALOGUES,
        _("Own attributes, conversations"),
        _("The same for texts with speakers and turns."),
        _("For a design that no template has."),
        "dialogue",
        (_("Length"), "…", "…"),
    ),
)


def template_choices() -> list[tuple[str, str]]:
    return [(template.key, str(template.name)) for template in TEMPLATES]


def kind_choices() -> list[tuple[str, str]]:
    """The kinds of task a project can be of, as form choices; the usual one first."""
    return [(key, name_value(gettext(kind.title), gettext(kind.purpose))) for key, kind in project_kinds().items()]


def fits_kind(template_key: str, kind_key: str) -> bool:
    """Whether a project for this kind of task can start from a template; one with attributes of its own fits all."""
    return template_key in (OWN_DOCUMENTS, OWN_DIALOGUES) or template_key in project_kinds()[kind_key].presets


class OfferedTemplate(NamedTuple):
    """A template, its radio button, and the kinds of task that can start from it, separated by spaces."""

    template: ProjectTemplate
    option: BoundWidget
    kinds: str


def pair_templates(field: BoundField) -> Iterator[OfferedTemplate]:
    """Each template that some kind of task can start from, with its radio button."""
    for template, option in zip(TEMPLATES, field, strict=True):
        kinds = [key for key in project_kinds() if fits_kind(template.key, key)]
        if kinds:
            yield OfferedTemplate(template, option, " ".join(kinds))


def schema_choice(key: str, language: str, kind_key: str) -> dict[str, str]:
    """The arguments of create_project for a template."""
    if key in (OWN_DOCUMENTS, OWN_DIALOGUES):
        needed = project_kinds()[kind_key].needs_attributes
        return {"schema_text": starter_text(key.removeprefix("own-"), language, with_attribute=needed)}
    return {"schema": key}


def language_choices() -> list[tuple[str, str]]:
    """Languages of texts by their names in the reader's language, as form choices. Django translates its own names."""
    plain = (code for code, info in LANG_INFO.items() if "name" in info and _is_plain(code))
    names = {_as_tag(code): str(get_language_info(code)["name_translated"]) for code in plain}
    names |= {code: str(name) for code, name in MORE_LANGUAGES.items()}
    return sorted(names.items(), key=lambda choice: choice[1])


def describe_project(project: Project) -> str:
    """What a project is about, on one line: News and other articles, English, 4 attributes."""
    names = (str(template.name) for template in TEMPLATES if template.key == project.preset)
    about = next(names, str(project.get_domain_display()).capitalize())
    language = dict(language_choices()).get(project.language, project.language)
    n_attributes = len(project.schema_version.schema.attributes)
    attributes = ngettext("%(n)d attribute", "%(n)d attributes", n_attributes) % {"n": n_attributes}
    return list_separator().join([about, language, attributes])


def _is_plain(code: str) -> bool:
    """Without a region: en, zh-hans, but not en-gb."""
    return "-" not in code or len(code.split("-")[1]) == 4


def _as_tag(code: str) -> str:
    language, _dash, script = code.partition("-")
    return f"{language}-{script.title()}" if script else language
