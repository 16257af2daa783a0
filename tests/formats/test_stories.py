"""CNN/DailyMail stories, alone and in archives."""

import gzip
import io
import json
import struct
import tarfile
import zipfile

import pytest

from epitome.formats import archives
from epitome.formats.reading import input_file
from epitome.formats.sources import read_sources
from epitome.formats.stories import split_story
from tests.formats.helpers import only_fault, read, records, text_of, write

ARTICLE = "(CNN)The mill closed.\n\nNobody asked us, she said."
STORY = ARTICLE + "\n\n@highlight\n\nMill closed\n\n@highlight\n\nNobody was\nasked\n"


def zipped(files, **options):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def tarred(files, mode="w", **options):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode, **options) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def test_a_story(tmp_path):
    [record] = records(read(tmp_path, STORY, "0a1b.story"))
    assert (record.external_id, text_of(record)) == ("0a1b", ARTICLE)
    assert json.loads(record.metadata_json) == {"highlights": ["Mill closed", "Nobody was asked"]}


def test_an_upload_keeps_its_own_name(tmp_path):
    path = write(tmp_path, STORY, "b7c8-uuid")
    assert records(list(read_sources(input_file(path, "0a1b.story"))))[0].external_id == "0a1b"


@pytest.mark.parametrize(
    ("text", "article", "highlights"),
    [
        ("a\r\n\r\n@highlight\r\n\r\nb\r\n", "a", ["b"]),
        ("a", "a", []),
        ("a\n\n@highlight", "a", []),
        ("see @highlight\nx\n\n@highlight\nb", "see @highlight\nx", ["b"]),
        ("  a\u2028b \n", "  a\u2028b ", []),
    ],
)
def test_articles_and_highlights(text, article, highlights):
    assert split_story(text) == (article, highlights)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"@highlight\n\nonly", "empty"),
        (b"caf\xe9 \xc3\xa9\n@highlight\nx", "encoding"),
        (b"a\0b\n@highlight\nx", "character"),
        (b"x" * 5_000_001, "entry_too_long"),
    ],
)
def test_bad_stories(tmp_path, content, code):
    assert only_fault(read(tmp_path, content, "a.story", format="story")).code == code


@pytest.mark.parametrize(
    "pack",
    [
        zipped,
        tarred,
        lambda files: tarred(files, "w:gz"),
        lambda files: tarred(files, format=tarfile.PAX_FORMAT),
        lambda files: tarred(files, format=tarfile.GNU_FORMAT),
    ],
)
def test_archives(tmp_path, pack):
    long = "folder/" + "n" * 150 + ".story"
    files = {
        "cnn/a.story": STORY.encode(),
        "cnn/readme.md": b"x",
        "cnn/.hidden.story": b"x",
        "b.txt": b"Two.",
        long: b"Three.",
    }
    result = records(read(tmp_path, pack(files), "stories"))
    assert [record.external_id for record in result] == ["a", "b", "n" * 150]
    assert result[0].place == "cnn/a.story"


def test_a_bad_member_is_named_and_the_others_are_read(tmp_path):
    items = read(tmp_path, zipped({"a.story": b"caf\xe9", "b.story": b"Two.", "c/b.story": b"Three."}), "s.zip")
    assert [getattr(item, "code", "") for item in items] == ["encoding", "", ""]
    assert [item.external_id for item in items[1:]] == ["b", "c/b"]
    assert "s.zip: a.story" in str(items[0])


@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.parametrize("name", ["../a.story", "/etc/a.story", "x/../../a.story", "..\\a.story", "C:\\a.story"])
def test_names_that_lead_out_are_refused(tmp_path, pack, name):
    fault = only_fault(read(tmp_path, pack({name: b"One."}), "s"))
    assert (fault.code, fault.fatal) == ("archive", True)
    assert not (tmp_path.parent / "a.story").exists()


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_nested_archives_are_refused(tmp_path, pack):
    fault = only_fault(read(tmp_path, pack({"a.zip": zipped({"b.story": b"x"})}), "s"))
    assert "inside the archive" in fault.message


def test_links_are_refused(tmp_path):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        info = tarfile.TarInfo("a.story")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(info)
    assert "link" in only_fault(read(tmp_path, stream.getvalue(), "s.tar")).message
    link = zipfile.ZipInfo("a.story")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        packed.writestr(link, "/etc/passwd")
    assert "link" in only_fault(read(tmp_path, stream.getvalue(), "s.zip")).message


@pytest.mark.parametrize("pack", [zipped, lambda files: tarred(files, "w:gz")])
def test_a_bomb_in_one_member(tmp_path, pack):
    content = pack({"a.story": b"\0" * 50_000_000})
    assert len(content) < 100_000
    assert "bytes" in only_fault(read(tmp_path, content, "s")).message


@pytest.mark.parametrize("pack", [zipped, lambda files: tarred(files, "w:gz")])
def test_a_bomb_in_many_members(tmp_path, pack):
    content = pack({f"{number}.story": b"word " * 800_000 for number in range(20)})
    items = read(tmp_path, content, "s")
    assert "times its size" in items[-1].message
    assert items[-1].fatal


def test_a_gzip_bomb_without_an_archive(tmp_path):
    fault = only_fault(read(tmp_path, gzip.compress(b" " * 100_000_000), "s.gz"))
    assert fault.code == "archive"


def test_a_directory_that_declares_a_million_members(tmp_path):
    content = bytearray(zipped({"a.story": b"One."}))
    at = content.rfind(b"PK\5\6")
    end64 = b"PK\6\6" + struct.pack("<QHHLLQQQQ", 44, 45, 45, 0, 0, 10**6, 10**6, 50 * 10**6, 0)
    locator = b"PK\6\7" + struct.pack("<LQL", 0, at, 1)
    assert (
        "1,000,000 members"
        in only_fault(read(tmp_path, bytes(content[:at]) + end64 + locator + bytes(content[at:]), "s.zip")).message
    )


def test_too_many_members(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MAX_MEMBERS", 5)
    files = {f"{number}.story": b"One." for number in range(6)}
    for pack in (zipped, tarred):
        items = read(tmp_path, pack(files), "s")
        assert "members" in items[-1].message


def test_a_tar_header_that_declares_gigabytes(tmp_path):
    info = tarfile.TarInfo("x")
    info.size, info.type = 8_000_000_000, tarfile.XHDTYPE
    assert "header is too long" in only_fault(read(tmp_path, info.tobuf(tarfile.GNU_FORMAT), "s.tar")).message


@pytest.mark.parametrize("cut", [30, 300, 600, -30])
@pytest.mark.parametrize("pack", [zipped, tarred, lambda files: tarred(files, "w:gz")])
def test_archives_cut_short(tmp_path, pack, cut):
    items = read(tmp_path, pack({"a.story": STORY.encode() * 20})[:cut], "s", format="story")
    assert all(str(item) for item in items)
    assert items


def test_a_member_whose_size_is_a_lie(tmp_path):
    content = zipped({"a.story": b"word " * 1000})
    at = content.rfind(b"PK\1\2")
    lie = bytearray(content)
    lie[at + 24 : at + 28] = struct.pack("<L", 10)
    assert only_fault(read(tmp_path, bytes(lie), "s.zip")).code == "archive"


def test_an_archive_without_stories(tmp_path):
    assert only_fault(read(tmp_path, zipped({"a.md": b"x"}), "s.zip")).code == "empty"
