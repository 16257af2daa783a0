"""The catalogues in locale/: complete, without guesses, with the placeholders and plural forms that Django needs."""

import gettext
import re
import string
from pathlib import Path

import django
import polib
import pytest
from django.conf import settings
from django.utils.translation import to_locale

from tools import catalogues

LOCALES = sorted(catalogues.PLURAL_FORMS)
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%[sd]|%%|\{\w*\}")
TAG = re.compile(r"</?\w[^<>]*>")
"""With its attributes, which a translation keeps as they are."""
present = [locale for locale in LOCALES if catalogues.catalogue_path(locale).exists()]


@pytest.fixture(scope="module")
def messages() -> polib.POFile:
    if not catalogues.can_extract():
        pytest.skip("NOT CHECKED HERE: whether catalogues are complete; install GNU gettext (xgettext, msguniq)")
    return catalogues.extract()


def test_every_offered_language_but_english_has_a_catalogue():
    assert {to_locale(code) for code, _name in settings.LANGUAGES} - {"en"} == set(present) == set(LOCALES)


@pytest.mark.parametrize("locale", present)
def test_every_message_has_a_catalogue_entry_and_every_entry_a_message(locale, messages):
    results = {(e.msgctxt, e.msgid, e.msgid_plural) for e in messages if not e.obsolete}
    stored = {(e.msgctxt, e.msgid, e.msgid_plural) for e in catalogues.load(locale)}

    assert stored == results, "run: make catalogues"


@pytest.mark.parametrize("locale", present)
def test_every_entry_is_translated_in_all_its_forms_and_none_is_a_guess(locale):
    catalogue = catalogues.load(locale)

    assert not [entry.msgid for entry in catalogues.list_untranslated(catalogue)]
    assert not catalogue.fuzzy_entries() and not catalogue.obsolete_entries()
    forms = {len(entry.msgstr_plural) for entry in catalogue if entry.msgid_plural}
    assert forms <= {catalogues.count_forms(locale)}
    assert catalogue.metadata["Plural-Forms"] == catalogues.PLURAL_FORMS[locale]


@pytest.mark.parametrize("locale", present)
def test_translations_keep_placeholders_and_tags(locale):
    faults = [fault for entry in catalogues.load(locale) for fault in list_faults(entry)]

    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("locale", present)
def test_what_django_reads_is_what_the_catalogue_says(locale):
    path = catalogues.catalogue_path(locale)

    assert path.with_suffix(".mo").read_bytes() == catalogues.compiled_bytes(catalogues.load(locale))


@pytest.mark.parametrize("locale", LOCALES)
def test_plurals_follow_the_rule_of_djangos_own_catalogue(locale):
    folder = Path(django.__file__).parent / "conf" / "locale"
    with (folder / locale / "LC_MESSAGES" / "django.mo").open("rb") as stream:
        gnutranslations = gettext.GNUTranslations(stream)
    rule = re.search(r"plural=(.*);", catalogues.PLURAL_FORMS[locale])[1]

    ours = gettext.c2py(rule)

    assert [ours(n) for n in range(205)] == [gnutranslations.plural(n) for n in range(205)]


def list_faults(entry: polib.POEntry) -> list[str]:
    """Placeholders or tags of a translation that its message lacks, or the other way round. A plural form may leave out
    the number: "one summary"."""
    texts = list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]
    sources = [entry.msgid, entry.msgid_plural] if entry.msgid_plural else [entry.msgid]
    known = {name for source in sources for name in PLACEHOLDER.findall(source)}
    needed = set.intersection(*(set(PLACEHOLDER.findall(source)) for source in sources))
    counted = {name for name in known if re.search(r"\(n\)|\(count\)|\(number\)|\{n\}|d$", name)}
    faults = []
    for text in filter(None, texts):
        used = set(PLACEHOLDER.findall(text))
        if used - known or needed - used - (counted if entry.msgid_plural else set()):
            faults.append(f"{entry.msgid!r}: {sorted(used)} in {text!r}")
        if sorted(TAG.findall(text)) not in [sorted(TAG.findall(source)) for source in sources]:
            faults.append(f"{entry.msgid!r}: other tags in {text!r}")
        if "{" in entry.msgid and not _is_format(text):
            faults.append(f"{entry.msgid!r}: braces in {text!r}")
    return faults


def _is_format(text: str) -> bool:
    try:
        list(string.Formatter().parse(text))
    except ValueError:
        return False
    return True


def test_a_wrong_placeholder_is_found():
    entry = polib.POEntry(msgid="%(n)d of %(total)d", msgstr="%(n)d von %(gesamt)d")
    assert list_faults(entry)
    plural = polib.POEntry(
        msgid="%(n)d word", msgid_plural="%(n)d words", msgstr_plural={0: "ein Wort", 1: "%(n)d Wörter"}
    )
    assert not list_faults(plural)
    quoted = polib.POEntry(msgid='<a href="%(url)s">here</a>', msgstr="<a href=„%(url)s“>hier</a>")
    assert list_faults(quoted)
