"""Tables and texts that are not UTF-8, as spreadsheets in several countries save them."""

import io
import zipfile

import pytest

from epitome.formats.encoding_guess import guess_encoding
from epitome.formats.options import ImportOptions
from epitome.formats.reading import input_file
from epitome.formats.sources import read_sources
from tests.formats.helpers import only_fault, read, records, text_of, write

TEXTS = {
    "de": "Die Bürger von Köln müssen für die Straße zahlen, sagte der Bürgermeister. „Größe“ – und Ärger",
    "fr": "L’été dernier, le conseil a été réuni à l'hôtel de ville, où est passé le cœur de la cité ?",
    "es": "¿Cómo está el niño? La reunión de mañana será aquí, según informó el alcalde. ¡Qué año!",
    "pl": "Zażółć gęślą jaźń. Rada miasta głosowała w sprawie mostu, który będzie otwarty w maju.",
    "cs": "Příliš žluťoučký kůň úpěl ďábelské ódy. Město schválilo stavbu mostu přes řeku.",
    "ru": "Городской совет проголосовал за строительство моста, который откроется в мае.",
    "ar": "صوت مجلس المدينة يوم الاثنين على بناء الجسر الذي سيفتتح في شهر مايو، وقال العمدة إن التكلفة كبيرة.",
    "zh": "市议会周一投票决定修建跨港大桥，该桥将于五月开放。市长表示，费用“很高”。",
    "zh-tw": "市議會週一投票決定修建跨港大橋，該橋將於五月開放。市長表示，費用「很高」。",
    "ja": "市議会は月曜日に橋の建設について投票を行い、橋は五月に開通する予定です。",
    "ko": "시의회는 월요일에 다리 건설에 대해 투표했으며, 다리는 5월에 개통될 예정이다.",
}


def read_table(tmp_path, raw, encoding=""):
    file = input_file(write(tmp_path, raw, "t.csv"), encoding=encoding)
    return list(read_sources(file, ImportOptions("csv"))), file


@pytest.mark.parametrize(
    ("language", "codec", "encoding"),
    [
        ("de", "cp1252", "windows-1252"),
        ("fr", "cp1252", "windows-1252"),
        ("es", "cp1252", "windows-1252"),
        ("de", "mac-roman", "mac-roman"),
        ("pl", "cp1250", "windows-1250"),
        ("cs", "cp1250", "windows-1250"),
        ("ru", "cp1251", "windows-1251"),
        ("ar", "cp1256", "windows-1256"),
        ("zh", "gb18030", "gb18030"),
        ("zh-tw", "cp950", "big5"),
        ("ja", "cp932", "shift-jis"),
        ("ko", "cp949", "euc-kr"),
    ],
)
def test_a_table_of_a_spreadsheet_is_read_in_its_encoding_which_is_said(tmp_path, language, codec, encoding):
    items, file = read_table(tmp_path, f"id;text\r\na;{TEXTS[language]}\r\n".replace(";", "\t").encode(codec))
    assert text_of(records(items)[0]) == TEXTS[language]
    assert file.encoding.used == encoding
    assert file.notes.as_list() == [f"read as {file.encoding.label}; choose another encoding if letters are wrong"]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_with_a_mark_is_read_without_a_doubt(tmp_path, codec):
    mark = "" if codec == "utf-16" else "\ufeff"
    items, file = read_table(tmp_path, f"{mark}id\ttext\na\t{TEXTS['zh']}\nb\t{TEXTS['de']}\n".encode(codec))
    assert [text_of(record) for record in records(items)] == [TEXTS["zh"], TEXTS["de"]]
    assert file.encoding.used == "utf-16"
    assert file.notes.as_list() == []


def test_utf16_without_a_mark_is_read_once_it_is_chosen(tmp_path):
    raw = f"id\ttext\na\t{TEXTS['de']}\n".encode("utf-16-le")
    assert "choose the encoding UTF-16" in only_fault(read_table(tmp_path, raw)[0]).message
    assert text_of(records(read_table(tmp_path, raw, "utf-16")[0])[0]) == TEXTS["de"]


def test_the_chosen_encoding_counts_more_than_the_guess(tmp_path):
    raw = f"id\ttext\na\t{TEXTS['pl']}\n".encode("cp1250")
    items, file = read_table(tmp_path, raw, "windows-1252")
    assert text_of(records(items)[0]) == TEXTS["pl"].encode("cp1250").decode("cp1252")
    assert file.notes.as_list() == []


def test_a_chosen_encoding_is_not_used_for_utf8(tmp_path):
    items, file = read_table(tmp_path, f"id\ttext\na\t{TEXTS['zh']}\n".encode(), "windows-1252")
    assert text_of(records(items)[0]) == TEXTS["zh"]
    assert file.encoding.is_utf8


def test_bytes_that_do_not_fit_the_chosen_encoding_are_named_with_their_line(tmp_path):
    raw = b"id\ttext\na\tOne two.\nb\tThree \x81 four.\n"
    fault = only_fault(read_table(tmp_path, raw, "windows-1252")[0])
    assert (fault.line, fault.code, fault.fatal) == (3, "encoding", True)
    assert fault.message.startswith("is not Windows-1252; choose another encoding")
    assert fault.value == "bytes 81 20 66 6f"


@pytest.mark.parametrize(
    "raw",
    [
        b"id\ttext\na\tOne \xff two.\n",  # a stray byte that no language writes
        f"id\ttext\na\t{TEXTS['fr']}\nb\t".encode() + b"caf\xe9\n",  # one damaged row of UTF-8
    ],
    ids=["stray", "damaged row"],
)
def test_damage_is_no_encoding(tmp_path, raw):
    items, file = read_table(tmp_path, raw)
    assert only_fault(items).code == "encoding"
    assert not file.encoding.is_utf8
    assert file.encoding.used == "utf-8"


def test_json_is_not_guessed(tmp_path):
    fault = only_fault(read(tmp_path, b'{"id": "a", "text": "caf\xe9 two"}\n'))
    assert (fault.line, fault.code) == (1, "encoding")
    assert "or choose its encoding" in fault.message


@pytest.mark.parametrize("table", [False, True], ids=["texts only", "with a table"])
def test_members_of_a_zip_are_each_read_in_their_encoding(tmp_path, table):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("de.txt", TEXTS["de"].encode("cp1252"))
        archive.writestr("zh.txt", TEXTS["zh"].encode("gb18030"))
        archive.writestr("utf.txt", TEXTS["ar"])
        if table:
            archive.writestr("t.csv", f"id;text\nt;{TEXTS['fr']}\n".encode("cp1252"))
    file = input_file(write(tmp_path, packed.getvalue(), "all.zip"))
    texts = {record.external_id: text_of(record) for record in records(list(read_sources(file)))}
    assert (texts["de"], texts["zh"], texts["utf"]) == (TEXTS["de"], TEXTS["zh"], TEXTS["ar"])
    assert not file.encoding.is_utf8
    assert any("read as Windows-1252" in note and "de.txt" in note for note in file.notes.as_list())


@pytest.mark.parametrize("text", ["FÃ¼r die BÃ¼rger.", "ä¸­æ–‡ text", "â€œWordsâ€\x9d of Ana"])
def test_a_text_that_was_encoded_twice_is_a_fault(tmp_path, text):
    fault = only_fault(read(tmp_path, f"id,text\na,{text}\n".encode(), "t.csv"))
    assert (fault.line, fault.field, fault.code) == (2, "text", "lost_character")
    assert "read as Windows-1252" in fault.message


@pytest.mark.parametrize("text", ["NÃO SÃO PAULO", "L’été «là» où Âge", TEXTS["de"], TEXTS["es"]])
def test_accents_that_belong_there_are_no_fault(tmp_path, text):
    assert records(read(tmp_path, f"id\ttext\na\t{text}\n".encode(), "t.csv"))


def test_noise_has_no_encoding():
    noise = bytes((place * 73 + place // 7 * 31) % 256 for place in range(4000))
    assert guess_encoding(noise) == ""
