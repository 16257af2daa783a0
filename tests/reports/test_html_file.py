"""`epitome report`: numbers of files as one HTML file with tables and figures, which needs nothing else."""

import json
import re
from html.parser import HTMLParser

import pytest

from epitome import metrics
from epitome.cli.main import main
from epitome.figures import palette
from epitome.reports.answers import ReportQuestion
from epitome.reports.html_file import DARK, LIGHT
from tests.check.rounds import file_of, make_frame, pick_of, rate_summaries
from tests.figures.test_palette import CSS
from tests.metrics.macsum_small import entries, write

TABLE = """text,summary,prediction
The council met on Monday. It raised the budget.,The budget rises.,The council met on Monday.
A storm hit the coast. Crews repaired the lines.,A storm cut lines & wires.,A storm hit <the> coast.
"""


@pytest.fixture
def made(tmp_path, capsys):
    """made(paths) -> (status, printed, the file written)"""

    def run(*words):
        output = tmp_path / "report.html"
        status = main(["report", *map(str, words), "-o", str(output)])
        out, err = capsys.readouterr()
        return status, out + err.splitlines()[-1] if err else out, output.read_text() if output.is_file() else ""

    return run


class Tags(HTMLParser):
    """Every opened element with its attributes; elements that are never closed."""

    EMPTY = frozenset({"meta", "br", "circle", "line", "rect"})

    def __init__(self, page):
        super().__init__()
        self.seen, self.open = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.EMPTY:
            assert self.open.pop() == tag, tag


def test_every_kind_of_file_is_a_section(made, tmp_path):
    plain = write(tmp_path, TABLE, "plain.csv")
    compared = metrics.compare({"lead": ["a b", "c d"], "ours": ["a c", "c d"]}, ["a b", "c d"]).to_dict()
    judged = "".join(
        json.dumps({"item_id": item, "rater": rater, "question": "fluent", "answer": answer}) + "\n"
        for item, answers in enumerate(("yy", "nn", "yn", "yy"))
        for rater, answer in zip("ab", answers, strict=True)
    )
    frame = make_frame(ReportQuestion("topic", "Topic", "Tpc", "yes-no", "topic"))
    lines = file_of(frame, rate_summaries(frame, "topic", pick_of("yes", "no")))
    files = [
        plain,
        write(tmp_path, compared, "compared.json"),
        write(tmp_path, judged, "judged.jsonl"),
        write(tmp_path, entries(), "samples.json"),
        write(tmp_path, "\n".join([*lines, ""]), "round.jsonl"),
        write(tmp_path, "system,params\nlead,0\nbart,406\n", "sizes.csv"),
    ]
    status, printed, page = made(*files, "--title", "All <of> it")
    assert status == 0 and "report.html: 6 files" in printed
    assert page.count("<section ") == 6
    for words in ("ROUGE F", "Systems: rouge1", "Gwet&#x27;s AC1", "length short", "Yes pooled", "406"):
        assert words in page, words
    assert "<h1>All &lt;of&gt; it</h1>" in page
    assert not Tags(page).open


def test_the_file_needs_nothing_else_and_runs_nothing(made, tmp_path):
    _, _, page = made(write(tmp_path, TABLE, "plain.csv"))
    tags = Tags(page).seen
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _attributes in tags}
    assert not [
        name for _tag, attributes in tags for name in attributes if name in ("src", "style") or name[:2] == "on"
    ]
    assert "url(" not in page and "@import" not in page
    assert "@media print" in page and "prefers-color-scheme: dark" in page
    assert [attributes["class"] for tag, attributes in tags if tag == "svg"] == [
        "plot",
        "plot",
        "plot",
        "plot axis-row",
    ]


def test_numbers_are_those_that_measure_prints(made, tmp_path, capsys):
    plain = write(tmp_path, TABLE, "plain.csv")
    main(["measure", str(plain), "--json", "--bootstrap", "1000"])
    numbers = json.loads(capsys.readouterr().out)
    _, _, page = made(plain)
    for value in numbers["rouge"].values():
        assert f"<td>{value:.3f}<small>".replace("0.", ".") in page
    assert numbers["signature"] in page.replace("&#x27;", "'")


def test_files_with_keys_of_earlier_versions_are_read(made, tmp_path):
    old = write(tmp_path, {"f": {}, "rouge": {"r1": 0.25, "rl": 0.5}, "signature": "macsum|v:1"}, "old.json")
    _, _, page = made(old)
    assert "rouge1" in page and "rougeL" in page and ".250" in page


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("no.json", "{;,,}", "no.json, line 1, column 2: is not JSON"),
        ("empty.csv", "a,b\n", "empty.csv: holds no rows"),
        ("object.json", '{"a": 1}', "object.json: is none of: a file of samples"),
        ("note.txt", "A note about nothing in particular.", "note.txt: is none of: a file of samples or texts"),
    ],
)
def test_what_no_report_can_be_made_of_is_one_line(made, tmp_path, name, content, message):
    status, printed, page = made(write(tmp_path, content, name))
    assert (status, page) == (1, "")
    assert printed.startswith("epitome: ") and message in printed


def test_a_report_does_not_overwrite_what_it_reads(tmp_path, capsys):
    plain = write(tmp_path, TABLE, "plain.csv")
    assert main(["report", str(plain), "--output", str(plain)]) == 2
    assert plain.read_text() == TABLE


@pytest.mark.parametrize(("colours", "selector"), [(LIGHT, ":root {"), (DARK, ':root[data-theme="dark"] {')])
def test_the_colours_are_those_of_the_site(colours, selector):
    block = (CSS / "tokens.css").read_text().partition(selector)[2].partition("\n}")[0]
    tokens = dict(re.findall(r"--([\w-]+): ([^;]+);", block))
    assert {name: tokens[name] for name in colours} == colours
    assert all(palette.COLOURS[name] == LIGHT[name] for name in palette.COLOURS.keys() & LIGHT.keys())
