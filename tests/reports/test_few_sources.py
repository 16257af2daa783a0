"""Tables say when their intervals rest on few sources."""

from epitome.measures import Signature
from epitome.metrics.aggregate import aggregate_values
from epitome.reports.cells import few_clusters_notes

SIGNATURE = Signature("cer", "1", ())


def _mean_over(n_sources: int):
    return aggregate_values([0.1, 0.4] * n_sources, [place // 2 for place in range(2 * n_sources)], signature=SIGNATURE)


def test_the_note_counts_the_fewest_sources_that_an_interval_was_drawn_from():
    assert few_clusters_notes([_mean_over(20), _mean_over(31)]) == ()
    (note,) = few_clusters_notes([_mean_over(20), _mean_over(19)])
    assert note.startswith("Only 19 sources: below 20, intervals are rough")


def test_a_number_without_an_interval_gives_no_note():
    assert not _mean_over(1).interval.defined
    assert few_clusters_notes([_mean_over(1)]) == ()
