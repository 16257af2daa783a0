"""The names of annotators on staff pages."""

from django.contrib.auth.models import User
from django.http import HttpRequest

from annotation.models import Project
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.views.core.navigation import Page


class ShownNames:
    """Names as this reader may see them: user names for researchers and admins, pseudonyms for reviewers."""

    def __init__(self, request: HttpRequest, project: Project) -> None:
        self.are_user_names = Page(request).makes
        self.pseudonyms = Pseudonyms(project)

    def of(self, person: User) -> str:
        return person.get_username() if self.are_user_names else str(self.pseudonyms.of(person.pk))
