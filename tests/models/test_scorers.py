"""Token log-probabilities of given summaries, against a loop that scores one token after the other."""

import math

import pytest

from modelbridge.systems.protocol import SystemFault

pytestmark = pytest.mark.models

TEXTS = ["the cat went home", "rain", "we sat on the mat before the rain and went", "home", "the mat"]


def scored(request_of):
    return [request_of(number, turns=1 + number % 3, text=text) for number, text in enumerate(TEXTS)]


@pytest.mark.parametrize("architecture", ["bart", "t5"])
def test_seq2seq_scores_are_those_of_a_naive_loop(folder_of, system_of, request_of, architecture):
    import torch

    requests = scored(request_of)
    system = system_of("seq2seq-scorer", f'weights = "{folder_of(architecture)}"\ninput = "hp"\nmost_at_once = 3')

    found = system.score(requests)

    model, tokenizer = system.loaded.model, system.loaded.tokenizer
    for request, scores in zip(requests, found, strict=True):
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

    found = system.score(requests)

    model, tokenizer = system.loaded.model, system.loaded.tokenizer
    generator = system_of("causal", f'weights = "{folder_of("gpt2")}"')
    for request, scores in zip(requests, found, strict=True):
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
    whole = range(len(tokenizer))
    system.text_ids = lambda text: [int(text)]

    found = system.score([request_of(0, text=str(token)) for token in whole])

    assert sum(math.exp(scores.total) for scores in found) == pytest.approx(1, abs=1e-3)


def test_a_text_that_is_too_long_is_refused_not_cut(folder_of, system_of, request_of):
    system = system_of("seq2seq-scorer", f'weights = "{folder_of("bart")}"\nmax_text_tokens = 5')

    with pytest.raises(SystemFault, match=r"r0: the text has \d+ tokens; at most 5"):
        system.score([request_of(0, text=TEXTS[2])])


def test_a_request_without_a_text_is_refused(folder_of, system_of, request_of):
    with pytest.raises(SystemFault, match="no text to score"):
        system_of("seq2seq-scorer", f'weights = "{folder_of("bart")}"').score([request_of(0)])
