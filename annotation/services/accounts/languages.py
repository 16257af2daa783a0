"""The language of the pages for an account: what its owner chose, if the site still offers it.

A session loads it together with its user (sessions.py), so that no page costs a query more.
"""

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from annotation.models import LanguageChoice
from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names
from annotation.transactions import write_transaction


def build_language_subquery() -> Subquery:
    """The choice of the user of the outer query, for `annotate(chosen_language=...)`."""
    rows: QuerySet[LanguageChoice] = LanguageChoice.objects.filter(user=OuterRef("pk"))
    return Subquery(rows.values("language")[:1])


def load_language(user: AbstractBaseUser) -> str:
    """The language chosen for the account; "" where none was chosen or the site no longer offers it."""
    if hasattr(user, "chosen_language"):
        chosen = user.chosen_language
    else:
        chosen = LanguageChoice.objects.filter(user_id=user.pk).values_list("language", flat=True).first()
    return chosen if chosen and is_offered(chosen) else ""


def choose_language(user: AbstractBaseUser, language: str) -> None:
    """Store the language of the account's pages."""
    check_offered(language)
    with write_transaction():
        LanguageChoice.objects.update_or_create(user_id=user.pk, defaults={"language": language})


def check_offered(language: str) -> None:
    if not is_offered(language):
        offered = join_names(code for code, _name in settings.LANGUAGES)
        raise BadInput(_("Use one of: %(list)s.") % {"list": offered})


def is_offered(language: str) -> bool:
    return any(language == code for code, _name in settings.LANGUAGES)
