"""As many outputs come out as went in, in their order; what fails, fails alone."""

import pytest

from epitome.schema import load_preset
from epitome.systems.batching import TO_FIT, Batcher, Failure, SampleFault, generate_all, is_out_of_memory
from epitome.systems.cleaning import clean_text, clean_value
from epitome.systems.protocol import OutOfMemory, Output, Request, SystemFault, Unavailable

SCHEMA = load_preset("macsum-doc")


def request(number, words=1):
    return Request(str(number), ({"speaker": "", "text": "w " * words},), {}, SCHEMA)


class Talker:
    """Says each request's id; `fault` may raise for a batch."""

    key = kind = "talker"
    role = "generate"
    follows: dict = {}

    def __init__(self, batch_size=4, fault=lambda batch: None, give=lambda outputs: outputs):
        self.batch_size, self.fault, self.give, self.calls = batch_size, fault, give, []

    def generate(self, batch):
        self.calls.append([item.id for item in batch])
        self.fault(batch)
        return self.give([Output(item.id) for item in batch])


def said(results):
    return [result.reason if isinstance(result, Failure) else result.text for result in results]


def test_outputs_keep_the_order_of_the_requests():
    talker = Talker()
    assert said(Batcher(talker).run([request(n) for n in range(10)])) == [str(n) for n in range(10)]
    assert [len(call) for call in talker.calls] == [4, 4, 2]


def test_all_outputs_come_in_file_order_though_the_longest_go_first():
    talker = Talker(batch_size=2)
    requests = [request(n, words=n) for n in range(5)]
    assert [output.text for output in generate_all(talker, requests)] == ["0", "1", "2", "3", "4"]
    assert talker.calls == [["4", "3"], ["2", "1"], ["0"]]


def test_a_request_that_breaks_the_system_fails_alone():
    def fault(batch):
        if any(item.id == "5" for item in batch):
            raise ValueError("five")

    results = said(Batcher(Talker(batch_size=8, fault=fault)).run([request(n) for n in range(8)]))
    assert results == ["0", "1", "2", "3", "4", "ValueError: five", "6", "7"]


@pytest.mark.parametrize("give", [lambda outputs: outputs[1:], lambda outputs: outputs + outputs[:1], lambda _: None])
def test_a_wrong_number_of_outputs_is_an_error_and_never_a_shift(give):
    results = Batcher(Talker(give=give)).run([request(n) for n in range(4)])
    assert len(results) == 4 and all(isinstance(result, Failure) for result in results)


def test_out_of_memory_halves_the_batch_and_remembers():
    def fault(batch):
        if len(batch) > 2:
            raise OutOfMemory("full")

    talker = Talker(batch_size=8, fault=fault)
    batcher = Batcher(talker)
    assert said(batcher.run([request(n) for n in range(12)])) == [str(n) for n in range(12)]
    assert batcher.limit == 2
    assert max(len(call) for call in talker.calls[5:]) == 2


def test_after_many_small_batches_that_went_well_larger_ones_are_tried_again():
    def fault(batch):
        if len(batch) > 1 and any(item.id == "0" for item in batch):
            raise OutOfMemory("full")

    batcher = Batcher(Talker(batch_size=4, fault=fault))
    batcher.run([request(n) for n in range(4)])
    assert batcher.limit == 1
    batcher.run([request(n) for n in range(1, 80)])
    assert batcher.limit == 4


def test_what_does_not_fit_alone_fails_alone():
    def fault(batch):
        if any(item.id == "1" for item in batch):
            raise OutOfMemory("full")

    results = said(Batcher(Talker(fault=fault)).run([request(n) for n in range(3)]))
    assert results == ["0", f"Out of memory, even alone: full. {TO_FIT}", "2"]


def test_out_of_memory_is_known_without_torch():
    ours = type("OutOfMemoryError", (RuntimeError,), {})
    assert is_out_of_memory(ours()) and is_out_of_memory(RuntimeError("CUDA out of memory. Tried to ..."))
    assert is_out_of_memory(MemoryError()) and not is_out_of_memory(RuntimeError("shape"))


def test_a_fault_of_the_whole_system_stops_it():
    def fault(batch):
        raise Unavailable("the server refuses the key")

    with pytest.raises(Unavailable):
        Batcher(Talker(fault=fault)).run([request(1)])


def test_a_failure_names_the_sample_where_all_are_wanted():
    def fault(batch):
        raise SystemFault("too odd")

    with pytest.raises(SampleFault, match="7: too odd"):
        generate_all(Talker(fault=fault), [request(7)])


def test_a_fault_that_names_its_reason_is_logged_without_a_traceback(caplog):
    def refuse(batch):
        raise SystemFault("too odd")

    def break_down(batch):
        raise KeyError("what")

    Batcher(Talker(fault=refuse)).run([request(1)])
    Batcher(Talker(fault=break_down)).run([request(1)])

    assert [(record.getMessage(), bool(record.exc_info)) for record in caplog.records] == [
        ("talker: a request failed: too odd", False),
        ("talker: a request failed: KeyError: 'what'", True),
    ]


def test_model_output_is_made_storable_and_flagged():
    assert clean_text("fine", 10) == ("fine", [])
    assert clean_text("a\0b\ud83dc", 10) == ("ab�c", ["nul", "surrogate"])
    assert clean_text("x" * 11, 10) == ("x" * 10, ["cut"])
    assert clean_text("<b>\x1b[31m", 99) == ("<b>\x1b[31m", [])


def test_provenance_is_made_plain_json():
    result = clean_value({"a": (1, float("nan"), {"b", "c"}), 2: "x\0", "n": float("inf"), "o": object})
    assert result["a"] == [1, "nan", ["b", "c"]] and result["2"] == "x" and result["n"] == "inf"
