"""What counts as personal data by its form, and what does not."""

import pytest

from epitome.publication.licences import find_licence
from epitome.publication.personal_data import find_contacts, find_names, is_personal, mask_text
from epitome.publication.split_names import held_out_order, name_split


def hits(text: str) -> list[tuple[str, str]]:
    return [(match.kind, text[match.start : match.end]) for match in find_contacts(text)]


@pytest.mark.parametrize(
    ("text", "kind", "matched"),
    [
        ("Write to anna.meier+news@mail.example.org.", "email", "anna.meier+news@mail.example.org"),
        ("anna (at) example.org answers", "email", "anna (at) example.org"),
        ("Schreib an jörg@müller.de, bitte", "email", "jörg@müller.de"),
        ("Call +49 30 1234567 now", "phone", "+49 30 1234567"),
        ("Call 0049-30-1234567 now", "phone", "0049-30-1234567"),
        ("Büro (030) 123 45 67, täglich", "phone", "(030) 123 45 67"),
        ("Ring 555-123-4567 today", "phone", "555-123-4567"),
        ("(212) 555-0199 is hers", "phone", "(212) 555-0199"),
        ("Tel.: 12345678", "phone", "12345678"),
    ],
)
def test_addresses_and_numbers_are_found(text, kind, matched):
    assert hits(text) == [(kind, matched)]


@pytest.mark.parametrize(
    "text",
    [
        "On 2020-10-11 at 10:30 the bridge was closed.",
        "It costs 1,234,567.89 or 3.1415926 a year.",
        "Section 12.3.4567 of law 2019/1024, pages 123-456",
        "The score @home was 3:0, user@localhost",
        "ISBN 978-3-16-148410-0 and version 10.2.1-4567",
        "Between 1914 and 1918, 20000000 people",
    ],
)
def test_dates_amounts_and_versions_are_none(text):
    assert hits(text) == []


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Anna Meier resigns", ["Anna Meier"]),
        ("Interview with Dr. Okonkwo", ["Dr. Okonkwo"]),
        (f"Anna M{'eier' * 20} resigns", [f"Anna M{'eier' * 20}"]),
        ("Speech of George W. Bush", ["George W. Bush"]),
        ("The City Council of New York", []),
        ("Climate Change Report", []),
    ],
)
def test_names_in_titles(title, names):
    assert [title[match.start : match.end] for match in find_names(title)] == names


def test_speakers_are_looked_for_in_titles_but_roles_are_not():
    title = "Speaker 1 asks Xiadani Quiroz about PM"

    assert [title[m.start : m.end] for m in find_names(title, ["Xiadani Quiroz", "PM", "Speaker 1"])] == [
        "Xiadani Quiroz"
    ]
    assert not is_personal("Speaker B")


def test_a_mask_keeps_offsets_and_words():
    text = "Call +49 30 1234567 now"
    masked = mask_text(text, [(5, 19)])

    assert masked == "Call ███ ██ ███████ now"
    assert len(masked) == len(text) and len(masked.split()) == len(text.split())


@pytest.mark.parametrize(
    ("name", "hub_name"),
    [("CC BY 4.0", "cc-by-4.0"), ("cc-by-nc-sa-3.0", "cc-by-nc-sa-3.0"), ("CC0", "cc0-1.0"), ("house rules", "other")],
)
def test_licences_have_the_names_of_the_hub(name, hub_name):
    assert find_licence(name).hub_name == hub_name


def test_splits_have_the_names_of_the_hub():
    assert [name_split(split, ["train", "dev", ""]) for split in ("train", "dev", "")] == [
        "train",
        "validation",
        "unsplit",
    ]
    assert name_split("", [""]) == "train"
    assert sorted(["test", "train", "other", "val"], key=held_out_order) == ["train", "other", "val", "test"]


@pytest.mark.parametrize("piece", ["Aa-", "Ab ", "A. ", "@", "+1 ", "1-", "(at)", "a.b-", "a."])
def test_long_runs_of_one_piece_cost_no_more_than_their_length(piece):
    """A search that goes back again and again would run for hours here."""
    text = f"x@{piece * 50_000}"
    find_names(text)
    find_contacts(text)
