"""Of meetings that the coefficients have not seen, long summaries are long and no more copied than references."""

from statistics import fmean
from typing import cast

import pytest

from benchmarks.extract_tuning import fitted, rows_of
from epitome.formats.reading import input_file
from epitome.measures.length import n_tokens
from epitome.measures.overlap import extractiveness
from epitome.metrics.control_error_rate import relative_error
from epitome.metrics.macsum_samples import read_macsum_file
from epitome.systems.controlled_extract.system import ControlledExtract
from epitome.systems.files import read_requests
from epitome.systems.protocol import Generator
from epitome.systems.registry import config_of

pytestmark = pytest.mark.slow


def test_long_summaries_of_unseen_meetings_are_long_and_not_copied_more(shared):
    path = shared / "data" / "macsum" / "macdial" / "val.json"
    file, requests = read_macsum_file(input_file(str(path))), read_requests(input_file(str(path)))
    models = fitted(rows_of(path, "dialogue"), {number for number in range(len(file.sources)) if number % 2})
    system = cast(Generator, ControlledExtract(config_of("controlled-extract"), models))
    unseen = [
        (sample, request)
        for sample, request in zip(file.samples, requests, strict=True)
        if sample.source % 2 and request.value("length") == "long"
    ]
    texts = [system.generate([request])[0].text for _, request in unseen]
    references = [sample.summary for sample, _ in unseen]
    assert fmean(map(n_tokens, texts)) == pytest.approx(fmean(map(n_tokens, references)), rel=0.2)
    errors = [
        relative_error(extractiveness(text, source), extractiveness(sample.summary, source), 0.1)
        for text, (sample, _) in zip(texts, unseen, strict=True)
        for source in [file.sources[sample.source].index]
    ]
    assert fmean(errors) <= 0.6
