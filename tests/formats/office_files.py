"""Small office files with what their programs write and the libraries that write them for us do not."""

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'

SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

SHARED_TYPE = (
    '<Override PartName="/xl/sharedStrings.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>'
)


def make_word(path: Path, body: str) -> Path:
    """A Word document whose body is the given XML, with the styles of python-docx's own template."""
    import docx
    from docx.oxml import parse_xml

    document = docx.Document()
    place = document.element.body
    for block in list(parse_xml(f"<w:body {W}>{body}</w:body>")):
        place.insert(len(place) - 1, block)
    document.save(path)
    return path


def paragraph(*runs: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}{''.join(runs)}</w:p>"


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def inserted(*runs: str) -> str:
    return f'<w:ins w:id="1" w:author="A" w:date="2026-01-01T00:00:00Z">{"".join(runs)}</w:ins>'


def deleted(text: str) -> str:
    kept = f'<w:r><w:delText xml:space="preserve">{escape(text)}</w:delText></w:r>'
    return f'<w:del w:id="2" w:author="A" w:date="2026-01-01T00:00:00Z">{kept}</w:del>'


def control(*content: str, properties: str = "") -> str:
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{''.join(content)}</w:sdtContent></w:sdt>"


def field(instruction: str, result: str) -> str:
    marks = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")]
    return f"{marks[0]}<w:r><w:instrText>{instruction}</w:instrText></w:r>{marks[1]}{run(result)}{marks[2]}"


def cell(content: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>"


def table(*rows: str) -> str:
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


def change_sheet(path: Path, old: str, new: str, shared: str = "") -> Path:
    """The workbook with a piece of the first sheet's XML replaced, and with texts that cells share."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet = members["xl/worksheets/sheet1.xml"].decode().replace("<v />", "<v></v>").replace("<v/>", "<v></v>")
    assert old in sheet, sheet
    members["xl/worksheets/sheet1.xml"] = sheet.replace(old, new).encode()
    if shared:
        members["xl/sharedStrings.xml"] = f'<sst xmlns="{SHEETS}">{shared}</sst>'.encode()
        types = members["[Content_Types].xml"].replace(b"</Types>", SHARED_TYPE.encode() + b"</Types>")
        members["[Content_Types].xml"] = types
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path
