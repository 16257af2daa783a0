"""A reference whose request is brought into the terms of a schema."""

from epitome.formats.records import ReferenceRecord
from epitome.formats.request_values import fit_reference
from epitome.schema import load_preset


def test_a_fitted_reference_keeps_everything_else():
    reference = ReferenceRecord(
        position=2,
        attributes={"length": "Short", "topic": "ferries; tides"},
        raw_attributes={"length": "Short", "topic": "ferries; tides"},
        summary="Ferries sail.",
        title="Ferries",
        relevant_segments=[1],
        out_of_range=[9],
        raw_extra={"author": "p-1"},
        author_name="W1",
    )

    fitted = fit_reference(reference, load_preset("macsum-doc"))

    assert fitted.attributes == {"length": "short", "topic": ["ferries", "tides"]}
    kept = [name for name in ReferenceRecord.__slots__ if name != "attributes"]
    assert [getattr(fitted, name) for name in kept] == [getattr(reference, name) for name in kept]
