"""Summaries of encoder-decoder and decoder-only models: as transformers writes them, whatever the batch."""

import pytest

from epitome.systems.neural.batching import Batcher, make_batches
from epitome.systems.protocol import OutOfMemory, SystemFault

FAMILIES = [
    ("bart", "seq2seq"),
    ("t5", "seq2seq"),
    ("pegasus", "seq2seq"),
    ("led", "seq2seq"),
    ("gpt2", "causal"),
    ("llama", "causal"),
]


@pytest.mark.models
@pytest.mark.parametrize(("architecture", "kind"), FAMILIES)
def test_a_batch_gives_what_each_request_gives_alone(folder_of, system_of, requests, architecture, kind):
    system = system_of(kind, f'weights = "{folder_of(architecture)}"\ninput = "hp"')

    together = system.generate(requests)

    assert [item.text for item in together] == [system.generate([request])[0].text for request in requests]
    assert any(item.text for item in together)


@pytest.mark.models
@pytest.mark.parametrize("architecture", ["bart", "pegasus", "t5"])
def test_the_text_is_that_of_a_plain_call_of_transformers(folder_of, system_of, requests, architecture):
    """Also where beams share what was read of the source, and where they do not."""
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    folder = folder_of(architecture)
    system = system_of(
        "seq2seq", f'weights = "{folder}"', "beams = 3\nmax_tokens = 20\nmin_tokens = 4\nno_repeat_ngram = 2"
    )
    outputs = system.generate(requests)

    model, tokenizer = AutoModelForSeq2SeqLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    model.train(False)
    for output in outputs:
        ids = model.generate(
            **tokenizer(output.prompt, return_tensors="pt"), num_beams=3, max_length=20, min_length=4,
            no_repeat_ngram_size=2, do_sample=False,
        )  # fmt: skip
        assert output.text == tokenizer.decode(ids[0], skip_special_tokens=True).strip()


@pytest.mark.models
@pytest.mark.parametrize("n", [1, 2, 3])
def test_blocked_ngrams_are_those_of_transformers(n):
    import torch
    from transformers import NoRepeatNGramLogitsProcessor

    from epitome.systems.neural.decoding import NoRepeatNgram

    torch.manual_seed(0)
    for length in range(1, 12):
        ids, scores = torch.randint(0, 4, (16, length)), torch.randn(16, 4)
        theirs = NoRepeatNGramLogitsProcessor(n)(ids, scores.clone())
        assert torch.equal(NoRepeatNgram(n)(ids, scores), theirs)


@pytest.mark.models
def test_a_model_that_reads_and_writes_in_one_row_may_copy_what_it_read():
    """The n-grams of its own text alone are forbidden: those of the prompt are the source."""
    import torch
    from transformers import NoRepeatNGramLogitsProcessor

    from epitome.systems.neural.decoding import NoRepeatNgram

    torch.manual_seed(0)
    for length in range(12):
        ids, scores = torch.randint(0, 4, (16, 9 + length)), torch.randn(16, 4)
        of_text = NoRepeatNGramLogitsProcessor(2)(ids[:, 9:], scores.clone()) if length else scores
        assert torch.equal(NoRepeatNgram(2, prompt=9)(ids, scores), of_text)


@pytest.mark.models
def test_an_output_tells_how_it_came_about(folder_of, system_of, request_of):
    from epitome.systems.neural.weights import weights_hash

    folder = folder_of("bart")
    system = system_of("seq2seq", f'weights = "{folder}"\ninput = "hp"')

    output = system.generate([request_of(0, turns=1)])[0]

    assert output.prompt.startswith("Topic : rain ;  Length : short ; Extractiveness : fully ;")
    assert output.told == {
        "length": "short",
        "extractiveness": "full",
        "specificity": "high",
        "topic": ("rain",),
        "speaker": (),
    }
    assert output.decoding["beams"] == 2 and output.decoding["no_repeat_ngram"] == 3
    assert output.weights == weights_hash(folder)
    assert set(output.versions) >= {"torch", "transformers", "epitome"}
    assert output.truncated == 0


@pytest.mark.models
def test_a_long_source_is_cut_at_its_end_and_counted(folder_of, system_of, request_of):
    system = system_of("seq2seq", f'weights = "{folder_of("bart")}"\nmax_source_tokens = 20')
    request = request_of(0, turns=30)

    row = system.encode([system.prompt(request, dict(request.values))])[0]
    output = system.generate([request])[0]

    input_ids = system.loaded.tokenizer(output.prompt)["input_ids"]
    assert output.truncated == len(input_ids) - 20 > 0
    assert list(row.ids) == [*input_ids[:19], input_ids[-1]]


@pytest.mark.models
def test_a_decoder_only_model_reads_the_ending_whatever_is_cut(folder_of, system_of, request_of):
    system = system_of("causal", f'weights = "{folder_of("gpt2")}"\nmax_source_tokens = 40\nending = " so:"')
    request = request_of(0, turns=30)

    row = system.encode([system.prompt(request, dict(request.values))])[0]

    assert len(row.ids) == 40 and row.truncated > 0
    assert system.loaded.tokenizer.decode(row.ids).endswith(" so:")


@pytest.mark.models
def test_a_model_of_the_other_family_is_refused(folder_of, system_of):
    with pytest.raises(SystemFault, match='"causal", not "seq2seq"'):
        system_of("seq2seq", f'weights = "{folder_of("gpt2")}"').load()


def test_batches_hold_like_lengths_within_the_limit():
    batches = make_batches([5, 90, 7, 80, 6, 10], tokens=100, max_items=3)

    assert batches == [[1], [3], [5, 2, 4], [0]]


def test_even_batches_pad_little_once_they_are_worth_a_batch():
    lengths = [100, *[50] * 9, 40, 20]

    batches = make_batches(lengths, tokens=10_000, max_items=64, even=True)

    assert [[lengths[place] for place in batch] for batch in batches] == [[100, *[50] * 7], [50, 50, 40, 20]]


def test_memory_that_runs_out_halves_the_batch_and_goes_on(monkeypatch):
    monkeypatch.setattr("epitome.systems.neural.batching.free_memory", lambda: None)
    sizes = []

    def work(places):
        sizes.append(len(places))
        if len(places) > 2:
            raise MemoryError
        return [place * 10 for place in places]

    batcher = Batcher(tokens=1000, most=8)

    assert batcher.run([4] * 9, work) == [place * 10 for place in range(9)]
    assert sizes[:3] == [8, 4, 2] and set(sizes[2:]) <= {1, 2}


def test_one_request_that_does_not_fit_at_all_is_told(monkeypatch):
    monkeypatch.setattr("epitome.systems.neural.batching.free_memory", lambda: None)

    def work(places):
        raise MemoryError

    with pytest.raises(OutOfMemory, match="one request alone"):
        Batcher(tokens=10, most=4).run([4, 4], work)


def test_a_fault_of_another_kind_is_not_swallowed():
    def work(places):
        raise RuntimeError("size mismatch")

    with pytest.raises(RuntimeError, match="size mismatch"):
        Batcher(tokens=10, most=4).run([4, 4], work)


@pytest.mark.models
@pytest.mark.parametrize("architecture", ["bart", "t5", "led"])
def test_every_output_says_how_many_tokens_were_read_and_written(folder_of, system_of, requests, architecture):
    system = system_of("seq2seq", f'weights = "{folder_of(architecture)}"', "beams = 2\nmax_tokens = 9\nmin_tokens = 9")
    lengths = [len(row.ids) for row in system.encode([output.prompt for output in system.generate(requests)])]

    usages = [output.usage for output in system.generate(requests)]
    assert [usage["prompt_tokens"] for usage in usages] == lengths
    assert {usage["completion_tokens"] for usage in usages} == {8}  # max_tokens counts the start token


@pytest.mark.models
@pytest.mark.parametrize("options", ["static_cache = true", "compile = true"])
@pytest.mark.parametrize("architecture", ["bart", "t5"])
def test_a_static_cache_and_a_compiled_decoder_write_the_same_texts(
    folder_of, system_of, requests, architecture, options, monkeypatch
):
    from epitome.systems.neural import decoding

    monkeypatch.setattr(decoding, "COMPILE_BACKEND", "eager")  # the graph is traced, without minutes of a C++ compiler
    decoding_text = "beams = 3\nmax_tokens = 20\nmin_tokens = 4"
    plain = system_of("seq2seq", f'weights = "{folder_of(architecture)}"', decoding_text)
    other = system_of("seq2seq", f'weights = "{folder_of(architecture)}"\n{options}', decoding_text)

    assert [output.text for output in other.generate(requests)] == [output.text for output in plain.generate(requests)]


@pytest.mark.models
@pytest.mark.parametrize("architecture", ["bart", "t5"])
def test_candidates_of_a_source_share_its_encoding_and_score_as_read_one_by_one(
    folder_of, system_of, requests, architecture, monkeypatch
):
    from epitome.systems.neural import shared_sources

    weights = f'weights = "{folder_of(architecture)}"'
    options = "beams = 4\nhypotheses = 4\nmax_tokens = 12\nmin_tokens = 2"
    shared = system_of("seq2seq", weights, options).generate(requests)
    monkeypatch.setattr(shared_sources, "UNSHARED", ("bart", "t5"))
    alone = system_of("seq2seq", weights, options).generate(requests)

    for first, other in zip(shared, alone, strict=True):
        assert [text for text, _score in first.candidates] == [text for text, _score in other.candidates]
        assert [score for _text, score in first.candidates] == pytest.approx(
            [score for _text, score in other.candidates], abs=1e-4
        )
        assert len(first.candidates) == 4
