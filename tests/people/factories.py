"""Second factors of people: set up, and codes right and wrong."""

import time

from django.contrib.auth.models import User
from django.test import Client
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotation.services.accounts import second_factor

PASSWORD = "a-long-password"
ADDRESS = "192.0.2.1"


def current_code(user: User, steps: int = 0) -> str:
    """The code of now; steps: of a later half minute, since one code counts once."""
    device = TOTPDevice.objects.get(user=user)
    totp = TOTP(device.bin_key, device.step, device.t0, device.digits, device.drift)
    totp.time = time.time() + 30 * steps
    return f"{totp.token():06d}"


def wrong_code(user: User) -> str:
    return f"{(int(current_code(user)) + 7) % 1_000_000:06d}"


def turn_on_second_factor(user: User) -> list[str]:
    second_factor.begin_setup(user)
    codes = second_factor.confirm_setup(user=user, code=current_code(user), address=ADDRESS)[1]
    TOTPDevice.objects.update(last_t=-1)  # as if some time had passed
    return codes


def post_password(client: Client, user: User):
    return client.post("/sign-in/", {"username": user.username, "password": PASSWORD, "next": "/p/news/"})
