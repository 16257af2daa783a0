"""The pages. Every name here stands in the access matrix of tests/pages; a page that is missing there fails it."""

from importlib import import_module
from importlib.util import find_spec

from django.urls import URLPattern, URLResolver, path

from annotation.views import accounts, home

accounts_urls: list[URLPattern | URLResolver] = [
    path("sign-in/", accounts.SignIn.as_view(), name="sign-in"),
    path("sign-out/", accounts.SignOut.as_view(), name="sign-out"),
    path("password/", accounts.PasswordChange.as_view(), name="password_change"),
    path("password/changed/", accounts.PasswordChangeDone.as_view(), name="password_change_done"),
    path("password/reset/", accounts.PasswordReset.as_view(), name="password_reset"),
    path("password/reset/sent/", accounts.PasswordResetDone.as_view(), name="password_reset_done"),
    path(
        "password/reset/<uidb64>/<token>/", accounts.PasswordResetConfirm.as_view(), name="password_reset_confirm"
    ),
    path("password/reset/finished/", accounts.PasswordResetComplete.as_view(), name="password_reset_complete"),
    path("theme/", accounts.theme, name="theme"),
]

staff_urls: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
]

task_urls: list[URLPattern | URLResolver] = []
if find_spec("annotation.views.task_urls"):
    task_urls = import_module("annotation.views.task_urls").urlpatterns

urlpatterns: list[URLPattern | URLResolver] = [*accounts_urls, *staff_urls, *task_urls]
