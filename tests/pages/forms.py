"""What a browser would send of a form of an answer."""

from html.parser import HTMLParser


class _FormReader(HTMLParser):
    """Reads the fields of one form: the one with the id, or the first."""

    def __init__(self, form_id: str) -> None:
        super().__init__()
        self.form_id = form_id
        self.fields: dict[str, str] = {}
        self._inside = False
        self._area: str | None = None
        self._select = ""
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        by_key = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._inside = not self.form_id or by_key.get("id") == self.form_id
        elif not self._inside or "disabled" in by_key:
            return
        elif tag == "input" and by_key.get("name"):
            ticks = by_key.get("type") in ("radio", "checkbox")
            if not ticks or "checked" in by_key:
                self.fields[by_key["name"]] = by_key.get("value", "on" if ticks else "")
        elif tag == "textarea":
            self._area, self._text = by_key["name"], ""
        elif tag == "select":
            self._select = by_key["name"]
        elif tag == "option" and ("selected" in by_key or self._select not in self.fields):
            self.fields[self._select] = by_key.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = False
        elif tag == "textarea" and self._area is not None:
            self.fields[self._area] = self._text.removeprefix("\r\n").removeprefix("\n")
            self._area = None

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._text += data


def read_form(answer, form_id: str = "") -> dict[str, str]:
    """The fields of a form by name, as they stand in the answer."""
    reader = _FormReader(form_id)
    reader.feed(answer.content.decode())
    assert reader.fields, f"no form {form_id!r} in the answer"
    return reader.fields


def fill_form(answer, form_id: str, values: dict[str, str]) -> dict[str, str]:
    """The same with other values, each for a field that the form has."""
    fields = read_form(answer, form_id)
    missing = values.keys() - fields.keys()
    assert not missing, f"the form has no {sorted(missing)}"
    return {**fields, **values}
