"""A project with two annotators, an admin and a site admin, and links into it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.staff.conftest import Staff, make_staff


@pytest.fixture
def staff(db) -> Staff:
    return make_staff()


@pytest.fixture
def site(db) -> User:
    return User.objects.create(username="site", is_superuser=True)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
