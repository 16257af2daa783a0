"""Messages of Django's own that the catalogues in locale/ translate again, because Django's translation is missing,
wrong or informal in one of the languages. Nothing imports this: it is read when messages are extracted.
"""

from django.utils.translation import gettext_noop, ngettext_lazy

OVERRIDDEN = (
    gettext_noop("Enter a valid email address."),
    gettext_noop("Enter a valid URL."),
    gettext_noop("Null characters are not allowed."),
    gettext_noop("This password is entirely numeric."),
    gettext_noop("The password is too similar to the %(verbose_name)s."),
    gettext_noop("Your password can’t be entirely numeric."),
    gettext_noop("Your password can’t be a commonly used password."),
    gettext_noop("Your password can’t be too similar to your other personal information."),
    gettext_noop("Your old password was entered incorrectly. Please enter it again."),
    gettext_noop("Enter the same password as before, for verification."),
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
    ngettext_lazy(
        "Your password must contain at least %(min_length)d character.",
        "Your password must contain at least %(min_length)d characters.",
        "min_length",
    ),
    ngettext_lazy(
        "Ensure this value has at least %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at least %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    ),
    ngettext_lazy(
        "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    ),
)
