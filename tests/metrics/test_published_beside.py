"""Rows that a paper prints stand below one's own, in the columns that both have."""

from epitome.measures import Signature, Value
from epitome.metrics.aggregate import aggregate_values
from epitome.metrics.published import SYSTEM_TABLES, find_table
from epitome.reports.automatic import SystemRow, SystemScores, system_table


def test_printed_rows_of_macsum_are_quoted_in_their_columns():
    names = ("length", "extractiveness", "specificity")
    nothing = aggregate_values([], [], signature=Signature("mean", "1"), replicates=1, seed=1)
    scores = SystemScores(
        dict.fromkeys((*names, "topic", "speaker"), nothing),
        dict.fromkeys(names, nothing),
        dict.fromkeys(("rouge1", "rouge2", "rougeL"), nothing),
        Value.none("not asked"),
    )
    codes = {"length": "Len", "extractiveness": "Ext", "topic": "Tpc", "specificity": "Spe", "speaker": "Spk"}
    table = system_table(
        [SystemRow("ours", scores)],
        scores.cc,
        codes,
        title="Scores",
        signature="s",
        published=find_table(SYSTEM_TABLES["macsum-dial"]),
    )
    assert [row[0].value for row in table.rows[:4]] == ["Gold", "ours", "Gold, as printed", "BART, as printed"]
    assert list(table.quoted) == list(range(2, len(table.rows)))
    heads = [f"{column.group} {column.label}".strip() for column in table.columns]
    bart = {head: cell.value for head, cell in zip(heads, table.rows[3], strict=True)}
    assert (bart["Len CER"], bart["Ext CER"], bart["Spe CER"], bart["Tpc CER"], bart["Spk CER"]) == (
        0.690, 0.544, 0.652, 0.612, 0.236,
    )  # fmt: skip
    assert (bart["Average CER"], bart["Len CC"]) == (0.547, 0)
    assert "MAC-Dial" in table.notes[-1]
