"""Token log-probabilities of given summaries, against a loop that scores one token after the other."""

import math

import pytest

from epitome.systems.protocol import SystemFault

pytestmark = pytest.mark.models

TEXTS = ["the cat went home", "rain", "we sat on the mat before the rain and went", "home", "the mat"]


def scored(request_of):
    return [request_of(number, turns=1 + number % 3, text=text) for number, text in enumerate(TEXTS)]


@pytest.mark.parametrize("architecture", ["bart", "t5"])
def test_seq2seq_scores_are_those_of_a_naive_loop(folder_of, system_of, request_of, architecture):
    import torch

    requests = scored(request_of)
    system = system_of("seq2seq-scorer", f'weights = "{folder_of(architecture)}"\ninput = "hp"\nmost_at_once = 3')

    result = system.score(requests)

    model, tokenizer = system.loaded.model, system.loaded.tokenizer
    for request, scores in zip(requests, result, strict=True):
        prompt = system_of("seq2seq", f'weights = "{folder_of(architecture)}"\ninput = "hp"').prompt(
            request, dict(request.values)
        )
        source = tokenizer(prompt, return_tensors="pt")
        written, naive = [model.config.decoder_start_token_id], []
        for token in tokenizer(request.text)["input_ids"]:
            with torch.no_grad():
                logits = model(**source, decoder_input_ids=torch.tensor([written])).logits[0, -1]
            naive.append(logits.log_softmax(-1)[token].item())
            written.append(token)
        assert scores.log_probabilities == pytest.approx(naive, abs=1e-4)
        assert scores.total == pytest.approx(sum(naive), abs=1e-4)
        assert scores.mean == pytest.approx(sum(naive) / len(naive), abs=1e-4)


def test_causal_scores_are_those_of_a_naive_loop(folder_of, system_of, request_of):
    import torch

    requests = scored(request_of)
    system = system_of("causal-scorer", f'weights = "{folder_of("gpt2")}"\nmax_text_tokens = 60\nending = " so:"')

    result = system.score(requests)

    model, tokenizer = system.loaded.model, system.loaded.tokenizer
    generator = system_of("causal", f'weights = "{folder_of("gpt2")}"')
    for request, scores in zip(requests, result, strict=True):
        prompt = generator.prompt(request, {"topic": request.values["topic"]})
        ids = [*tokenizer(prompt)["input_ids"], *tokenizer(" so:")["input_ids"]]
        naive = []
        for token in [*tokenizer(f" {request.text}")["input_ids"], tokenizer.eos_token_id]:
            with torch.no_grad():
                naive.append(model(torch.tensor([ids])).logits[0, -1].log_softmax(-1)[token].item())
            ids.append(token)
        assert scores.log_probabilities == pytest.approx(naive, abs=1e-4)


def test_probabilities_of_all_next_tokens_sum_to_one(folder_of, system_of, request_of):
    """Of the first token after the start, over single-token texts."""
    system = system_of("seq2seq-scorer", f'weights = "{folder_of("t5")}"')
    tokenizer = system.loaded.tokenizer
    result = range(len(tokenizer))
    system.text_ids = lambda text: [int(text)]

    outcome = system.score([request_of(0, text=str(token)) for token in result])

    assert sum(math.exp(scores.total) for scores in outcome) == pytest.approx(1, abs=1e-3)


def test_a_text_that_is_too_long_is_refused_not_cut(folder_of, system_of, request_of):
    system = system_of("seq2seq-scorer", f'weights = "{folder_of("bart")}"\nmax_text_tokens = 5')

    with pytest.raises(SystemFault, match=r"r0: the text has \d+ tokens; at most 5"):
        system.score([request_of(0, text=TEXTS[2])])


def test_a_request_without_a_text_is_refused(folder_of, system_of, request_of):
    with pytest.raises(SystemFault, match="no text to score"):
        system_of("seq2seq-scorer", f'weights = "{folder_of("bart")}"').score([request_of(0)])


MANY = [f"{first} {text}" for text in TEXTS for first in ("the cat", "home", "rain and rain", "we", "mat")]
"""25 texts, of one source each."""


def shared(request_of):
    """Three sources with as many texts as a contrastive tuple has, and one source with a single text."""
    several = [request_of(number, turns=1 + number, text=text) for text in MANY for number in range(3)]
    return [*several, request_of(5, turns=5, text="the mat")]


def both_ways(system_of, kind, options, requests):
    together = system_of(kind, options).score(requests)
    return together, system_of(kind, f"{options}\nshare_source = false").score(requests)


@pytest.mark.parametrize(
    ("architecture", "kind"),
    [("bart", "seq2seq-scorer"), ("t5", "seq2seq-scorer"), ("gpt2", "causal-scorer")],
)
def test_texts_of_one_source_have_the_scores_they_have_alone(folder_of, system_of, request_of, architecture, kind):
    options = f'weights = "{folder_of(architecture)}"\ninput = "hp"\nmost_at_once = 7\nmax_text_tokens = 60'
    requests = shared(request_of)
    together, plain = both_ways(system_of, kind, options, requests)
    for ours, theirs in zip(together, plain, strict=True):
        assert ours.tokens == theirs.tokens
        assert ours.log_probabilities == pytest.approx(theirs.log_probabilities, abs=1e-4)


@pytest.mark.parametrize("architecture", ["bart", "t5"])
def test_the_encoder_reads_each_source_once(folder_of, system_of, request_of, architecture):
    requests = shared(request_of)
    sources = []
    for share in ("true", "false"):
        system = system_of("seq2seq-scorer", f'weights = "{folder_of(architecture)}"\nshare_source = {share}')
        rows = []
        encoder = system.loaded.model.get_encoder()
        encoder.register_forward_hook(lambda _module, _given, output, rows=rows: rows.append(len(output[0])))
        system.score(requests)
        sources.append(sum(rows))
    assert sources == [4, len(requests)]
    assert sources[1] >= 8 * sources[0]


def test_a_prompt_is_read_once_for_all_its_texts(folder_of, system_of, request_of):
    requests = shared(request_of)
    tokens = []
    for share in ("true", "false"):
        options = f'weights = "{folder_of("gpt2")}"\nmax_text_tokens = 60\nshare_source = {share}'
        system = system_of("causal-scorer", options)
        read = []
        system.loaded.model.transformer.wte.register_forward_hook(
            lambda _module, given, _output, read=read: read.append(given[0].numel())
        )
        system.score(requests)
        tokens.append(sum(read))
    assert tokens[1] >= 3 * tokens[0]


def test_a_tuple_that_is_split_over_two_calls_is_read_once(folder_of, system_of, request_of):
    system = system_of("seq2seq-scorer", f'weights = "{folder_of("bart")}"')
    rows = []
    system.loaded.model.get_encoder().register_forward_hook(lambda _module, _given, output: rows.append(len(output[0])))
    requests = [request_of(0, text=text) for text in MANY]
    system.score(requests[:13])
    system.score(requests[13:])
    assert sum(rows) == 1


def test_copies_of_a_cache_are_bounded(folder_of, system_of, request_of, monkeypatch):
    from epitome.systems.neural import shared_sources

    options = f'weights = "{folder_of("gpt2")}"\nmax_text_tokens = 60'
    requests = [request_of(0, text=text) for text in MANY]
    expected = system_of("causal-scorer", options).score(requests)
    system = system_of("causal-scorer", options)
    batches = []
    system.loaded.model.register_forward_pre_hook(
        lambda _module, _args, given: batches.append(len(given["input_ids"])), with_kwargs=True
    )
    monkeypatch.setattr(shared_sources, "CACHE_BYTES", 1)
    result = system.score(requests)
    assert max(batches) == 1 and len(batches) == 1 + len(MANY)
    for ours, theirs in zip(result, expected, strict=True):
        assert ours.log_probabilities == pytest.approx(theirs.log_probabilities, abs=1e-4)


def test_a_model_that_cannot_share_is_read_the_plain_way(folder_of, system_of, request_of, monkeypatch):
    from epitome.systems.neural import shared_sources

    options = f'weights = "{folder_of("bart")}"'
    requests = [request_of(0, text=text) for text in MANY]
    expected = system_of("seq2seq-scorer", options).score(requests)
    monkeypatch.setattr(shared_sources, "UNSHARED", ("bart",))
    for ours, theirs in zip(system_of("seq2seq-scorer", options).score(requests), expected, strict=True):
        assert ours.log_probabilities == pytest.approx(theirs.log_probabilities, abs=1e-4)


def test_a_target_begins_with_one_blank_whoever_puts_it(tmp_path):
    """Llama-2's and Mistral's tokenizers put a blank before every text, GPT-2's does not."""
    from tokenizers import Tokenizer, models, normalizers
    from transformers import PreTrainedTokenizerFast

    from epitome.systems.neural.encoding import encode_continuation

    letters = ["<unk>", *"▁thecat"]
    merges = [("▁", "t"), ("▁t", "h"), ("▁th", "e"), ("▁", "c"), ("▁c", "a"), ("▁ca", "t")]
    words = dict.fromkeys([*letters, *(first + second for first, second in merges)])
    vocabulary = {word: number for number, word in enumerate(words)}
    pieces = []
    for steps in ([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")], [normalizers.Replace(" ", "▁")]):
        backend = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>"))
        backend.normalizer = normalizers.Sequence(steps)
        tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="<unk>")
        pieces.append(tokenizer.convert_ids_to_tokens(encode_continuation(tokenizer, "the cat")))
    assert pieces == [["▁the", "▁cat"]] * 2
