"""Exports of annotation tools, one file per tool; `epitome.formats.tool_exports` lists them."""
