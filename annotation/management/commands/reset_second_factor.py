"""`manage.py reset_second_factor NAME`: for a site admin who lost phone and recovery codes."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import command_error
from annotation.services.accounts import second_factor


class Command(BaseCommand):
    help = "Turn a person's second factor off and end the sessions; it is written into the audit log."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise command_error(f"{options['username'][:60]}: nobody is called that here")
        second_factor.reset_second_factor(user=user, by=None)
        self.stdout.write(f"{user.username} signs in with the password alone now.")
