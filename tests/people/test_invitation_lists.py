"""Many invitations at once: which lines get a link, and what is said of the others."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import Invitation, Membership
from annotation.services.core.errors import BadInput
from annotation.services.people import invitation_lists
from annotation.services.people.invitation_lists import parse_addresses

pytestmark = pytest.mark.django_db
JOIN = re.compile(r"data-link>http://testserver/join/([\w-]+)/<")


def invite(staff, addresses: str = "", **more):
    form = {"addresses": addresses, "roles": ["annotator"], "days": 14, **more}
    return staff.client.post(staff.url("members/invitations/many/"), form)


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("a@example.org\nb@example.org", ["a@example.org", "b@example.org"]),
        ("a@example.org, b@example.org;c@example.org", ["a@example.org", "b@example.org", "c@example.org"]),
        ('"Team" <a@example.org>\r\n\r\n', ["a@example.org"]),
        ("\ufeffname,e-mail\nTeam,a@example.org\n", ["a@example.org"]),
        ('e-mail;group\n"a@example.org";1', ["a@example.org"]),
    ],
)
def test_addresses_are_found_in_lists_and_in_columns(text, addresses):
    lines = parse_addresses(text)
    assert [line.address for line in lines] == addresses
    assert not any(line.fault for line in lines)


def test_what_is_wrong_is_said_of_each_line():
    lines = parse_addresses(f"a@example.org\nnobody\nb@example\nA@EXAMPLE.org\n{'x' * 60}@{'y' * 60}.org")
    assert [(line.number, line.fault) for line in lines] == [
        (1, ""),
        (2, "Not a valid e-mail address."),
        (3, "Not a valid e-mail address."),
        (4, "Already on line 1."),
        (5, "Too long: at most 100 characters."),
    ]


@pytest.mark.parametrize("text", ["", " \n\n", "name only"])
def test_a_list_without_an_address_is_refused(text):
    with pytest.raises(BadInput, match="No e-mail address"):
        parse_addresses(text)


def test_a_list_that_is_too_long_is_refused():
    text = "\n".join(f"a{n}@example.org" for n in range(invitation_lists.MOST_ADDRESSES + 1))
    with pytest.raises(BadInput, match="Invite up to 500"):
        parse_addresses(text)


def test_every_good_line_gets_a_link_for_one_person(staff):
    member = User.objects.create(username="annotator9", email="In@example.org")
    Membership.objects.create(project=staff.project, user=member, role="annotator")

    page = invite(staff, "a@example.org\nin@example.org\nwrong\nb@example.org").content.decode()

    assert "2 of 4 addresses invited." in page
    assert "Already a member of this project." in page and "Not a valid e-mail address." in page
    secrets = JOIN.findall(page)
    rows = list(Invitation.objects.order_by("pk"))
    assert [row.name for row in rows] == ["a@example.org", "b@example.org"]
    assert {(row.max_uses, tuple(row.roles)) for row in rows} == {(1, ("annotator",))}
    for secret in secrets:
        assert Client().get(f"/join/{secret}/").status_code == 200
    assert len(secrets) == 2 and not JOIN.findall(staff.client.get(staff.url("members/invitations/")).content.decode())


def test_a_link_can_be_copied_mailed_and_scanned(staff):
    page = invite(staff, "a@example.org").content.decode()
    url = f"http://testserver/join/{JOIN.findall(page)[0]}/"
    assert f'data-copy="{url}"' in page
    mail_url = re.search(r'href="(mailto:[^"]+)"', page).group(1).replace("&amp;", "&")
    assert mail_url.startswith("mailto:a@example.org?") and url in parse_qs(urlsplit(mail_url).query)["body"][0]
    assert '<svg class="qr"' in page


def test_a_csv_file_is_read(staff):
    file = SimpleUploadedFile("people.csv", b"name;mail\nTeam;a@example.org\n", "text/csv")
    assert "1 of 1 address invited." in invite(staff, file=file).content.decode()


@pytest.mark.parametrize(
    ("content", "fault"), [(b"\xff\xfe\x00a", "not UTF-8 text"), (b"a@example.org\n" * 8000, "larger than 100 KB")]
)
def test_a_file_that_cannot_be_read_is_refused_in_words(staff, content, fault):
    answer = invite(staff, file=SimpleUploadedFile("people.csv", content, "text/csv"))
    assert answer.status_code == 422 and fault in answer.content.decode()
    assert not Invitation.objects.exists()


def test_a_single_link_has_copy_mail_and_qr_too(staff):
    form = {"do": "make", "name": "course", "roles": ["annotator"], "max_uses": 3, "days": 7}
    page = staff.client.post(staff.url("members/invitations/"), form).content.decode()
    assert "Copy link" in page and 'href="mailto:?subject=' in page and '<svg class="qr"' in page
