"""Soft prefixes are keys and values that every query sees besides the tokens: nothing more, nothing less."""

import pytest

from epitome.systems.protocol import MissingWeights, SystemFault

pytestmark = pytest.mark.models

VALUES = ("length=short", "length=normal", "length=long", "specificity=normal", "specificity=high")
REQUESTS = [
    {"length": "short", "specificity": "high"},
    {"length": "long", "specificity": "normal"},
    {"length": "normal", "specificity": "high"},
]
SOURCES = ["the cat sat on the mat", "we went home before the rain and sat", "rain"]


def model_and_tokenizer(folder):
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    model = AutoModelForSeq2SeqLM.from_pretrained(folder)
    model.train(False)
    return model, AutoTokenizer.from_pretrained(folder)


def prefixed(folder, **shape):
    """(model with prefixes of random weights, tokenizer, prefixes)."""
    import torch

    from epitome.systems.neural.prefixes import PrefixShape, SoftPrefix

    model, tokenizer = model_and_tokenizer(folder)
    torch.manual_seed(3)
    return model, tokenizer, SoftPrefix(model, PrefixShape(VALUES, **{"length": 4, "middle": 16} | shape))


def logits(model, tokenizer, sources=SOURCES, **more):
    import torch

    labels = tokenizer(["we sat", "the cat went home", "home"][: len(sources)], return_tensors="pt", padding=True)
    with torch.no_grad():
        batch = tokenizer(list(sources), return_tensors="pt", padding=True)
        return model(**batch, labels=labels["input_ids"], use_cache=False, **more).logits


@pytest.mark.parametrize("architecture", ["bart", "t5", "pegasus"])
def test_a_model_whose_prefixes_are_off_computes_what_it_did_before(folder_of, architecture):
    import torch

    plain = logits(*model_and_tokenizer(folder_of(architecture)))
    model, tokenizer, prefix = prefixed(folder_of(architecture))

    assert torch.equal(logits(model, tokenizer), plain)
    with prefix.applied_prefixes(prefix.ids(REQUESTS)):
        assert not torch.allclose(logits(model, tokenizer), plain, atol=1e-3)
    assert torch.equal(logits(model, tokenizer), plain)


@pytest.mark.parametrize("architecture", ["bart", "t5"])
def test_a_library_that_passes_prefixes_by_is_refused(folder_of, architecture, monkeypatch):
    """As transformers before 5.15.1 did with T5."""
    from transformers import AttentionInterface
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    from epitome.systems.neural import prefixes

    def register_without_prefixes():
        AttentionInterface.register(prefixes.NAME, ALL_ATTENTION_FUNCTIONS["sdpa"])

    monkeypatch.setattr(prefixes, "register_attention", register_without_prefixes)
    with pytest.raises(SystemFault, match=rf"change nothing in {architecture} .*transformers>=5\.15\.1"):
        prefixed(folder_of(architecture))


@pytest.mark.parametrize("architecture", ["bart", "t5"])
def test_prefixes_of_no_length_change_nothing(folder_of, architecture):
    import torch

    plain = logits(*model_and_tokenizer(folder_of(architecture)))
    model, tokenizer, prefix = prefixed(folder_of(architecture), length=0)

    with prefix.applied_prefixes(prefix.ids(REQUESTS)):
        assert torch.allclose(logits(model, tokenizer), plain, atol=1e-6)


@pytest.mark.parametrize("architecture", ["bart", "t5"])
@pytest.mark.parametrize("combine", ["sum", "concat"])
def test_the_attention_is_that_of_keys_and_values_put_together_by_hand(folder_of, architecture, combine, by_hand):
    import torch

    model, tokenizer, prefix = prefixed(folder_of(architecture), combine=combine)
    # The second request has no specificity, the third nothing that has vectors.
    ids = prefix.ids([REQUESTS[0], {"length": "long"}, {}])

    with prefix.applied_prefixes(ids):
        ours = logits(model, tokenizer)
        model.set_attn_implementation(by_hand)
        naive = logits(model, tokenizer)

    assert torch.allclose(ours, naive, atol=1e-5)


@pytest.fixture
def by_hand():
    """An attention that goes through rows, heads and queries one at a time."""
    import torch
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS

    from epitome.systems.neural.prefix_attention import SLOT

    def attend(module, query, key, value, mask, scaling=None, position_bias=None, **more):
        prefix = getattr(module, SLOT)
        rows, heads, _, size = query.shape
        out = torch.zeros_like(query)
        for row in range(rows):
            seen = list(range(prefix.keys.shape[2]))
            if prefix.visible is not None:
                seen = [slot for slot in seen if prefix.visible[row, slot]]
            for head in range(heads):
                keys = torch.cat([prefix.keys[row, head, seen], key[row, head]])
                values = torch.cat([prefix.values[row, head, seen], value[row, head]])
                scores = query[row, head] @ keys.T * (size**-0.5 if scaling is None else scaling)
                score = scores[:, len(seen) :]
                if position_bias is not None:
                    score += position_bias[0, head]
                if mask is not None:
                    score += mask[row, 0]
                out[row, head] = scores.softmax(-1) @ values
        return out.transpose(1, 2).contiguous(), None

    AttentionInterface.register("by_hand", attend)
    AttentionMaskInterface.register("by_hand", ALL_MASK_ATTENTION_FUNCTIONS["eager"])
    return "by_hand"


@pytest.mark.parametrize("architecture", ["bart", "t5"])
def test_each_row_sees_its_own_prefixes_alone(folder_of, architecture):
    import torch

    model, tokenizer, prefix = prefixed(folder_of(architecture))

    with prefix.applied_prefixes(prefix.ids(REQUESTS)):
        together = logits(model, tokenizer)
    for row, (source, request) in enumerate(zip(SOURCES, REQUESTS, strict=True)):
        with prefix.applied_prefixes(prefix.ids([request])):
            batch = tokenizer([source], return_tensors="pt")
            start = torch.full((1, 1), model.config.decoder_start_token_id)
            with torch.no_grad():
                alone = model(**batch, decoder_input_ids=start).logits
        assert torch.allclose(together[row, 0], alone[0, 0], atol=1e-5)


@pytest.mark.parametrize("site", ["encoder", "decoder", "cross"])
def test_each_site_has_prefixes_of_its_own(folder_of, site):
    import torch

    plain = logits(*model_and_tokenizer(folder_of()))
    model, tokenizer, prefix = prefixed(folder_of(), sites=(site,))

    assert set(prefix.attention) == {site}
    prefix.module[site]["network"][2].weight.data *= 50  # random prefixes of a random model say little
    with prefix.applied_prefixes(prefix.ids(REQUESTS)):
        assert not torch.allclose(logits(model, tokenizer), plain, atol=1e-4)


@pytest.mark.parametrize("architecture", ["bart", "t5"])
def test_beams_with_a_cache_find_what_beams_without_find(folder_of, architecture):
    import torch

    model, tokenizer, prefix = prefixed(folder_of(architecture))
    batch = tokenizer(SOURCES, return_tensors="pt", padding=True)

    with prefix.applied_prefixes(prefix.ids(REQUESTS)):
        results = [
            model.generate(**batch, num_beams=3, max_length=10, do_sample=False, use_cache=cache)
            for cache in (True, False)
        ]

    assert torch.equal(*results)


def test_only_prefixes_learn_and_the_model_stays(folder_of):
    import torch

    model, tokenizer, prefix = prefixed(folder_of())
    model.requires_grad_(False)
    prefix.module.requires_grad_(True)
    by_key_before = {name: value.clone() for name, value in model.state_dict().items() if "soft_prefix" not in name}
    optimizer = torch.optim.AdamW(prefix.module.parameters(), lr=1e-2)
    batch = tokenizer(SOURCES, return_tensors="pt", padding=True)
    labels = tokenizer(["we sat", "the cat", "home"], return_tensors="pt", padding=True)["input_ids"]
    losses = []
    for _ in range(15):
        with prefix.applied_prefixes(prefix.ids(REQUESTS)):
            loss = model(**batch, labels=labels).loss
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())

    assert losses[-1] < losses[0]
    assert all(torch.equal(value, model.state_dict()[name]) for name, value in by_key_before.items())


def test_saved_prefixes_read_back_compute_the_same(folder_of, tmp_path):
    import torch

    from epitome.systems.neural.prefixes import load_prefixes

    model, tokenizer, prefix = prefixed(folder_of(), combine="concat")
    prefix.save(tmp_path)
    with prefix.applied_prefixes(prefix.ids(REQUESTS)):
        first = logits(model, tokenizer)

    again, _ = model_and_tokenizer(folder_of())
    read = load_prefixes(again, tmp_path)

    assert read.shape == prefix.shape
    with read.applied_prefixes(read.ids(REQUESTS)):
        assert torch.equal(logits(again, tokenizer), first)


def test_prefixes_of_another_model_are_refused(folder_of, tmp_path):
    from epitome.systems.neural.prefixes import load_prefixes

    prefixed(folder_of())[2].save(tmp_path)
    other, _ = model_and_tokenizer(folder_of("bart", layers=1))

    with pytest.raises(SystemFault, match="do not fit the model"):
        load_prefixes(other, tmp_path)


def test_a_model_without_plain_attention_is_refused(folder_of):
    with pytest.raises(SystemFault, match="led"):
        prefixed(folder_of("led"))


def test_the_system_steers_by_prefix_and_a_batch_gives_what_each_gives_alone(folder_of, tmp_path, system_of, requests):
    prefixed(folder_of(), length=8)[2].save(tmp_path)
    options = f'weights = "{folder_of()}"\nprefixes = "{tmp_path}"'
    system = system_of("soft-prefix", options)

    outputs = system.generate(requests)

    assert [output.text for output in outputs] == [system.generate([request])[0].text for request in requests]
    assert outputs[0].told["length"] == "short" and "Length" not in outputs[0].prompt
    assert outputs[0].weights != system_of("seq2seq", f'weights = "{folder_of()}"').load().hash


def test_prefixes_that_are_not_there_are_told(folder_of, system_of, tmp_path):
    with pytest.raises(MissingWeights, match=r"nowhere"):
        system_of("soft-prefix", f'weights = "{folder_of()}"\nprefixes = "{tmp_path / "nowhere"}"').load()


def test_several_candidates_are_steered_as_one_is(folder_of, tmp_path, system_of, requests):
    prefix = prefixed(folder_of(), length=8)[2]
    for weights in prefix.module.parameters():
        weights.data.mul_(20)  # so strong that no text is what it would be without
    prefix.save(tmp_path)
    options = f'weights = "{folder_of()}"\nprefixes = "{tmp_path}"'
    decoding = "beams = 3\nmax_tokens = 12\nmin_tokens = 2"
    best = system_of("soft-prefix", options, decoding).generate(requests)
    several = system_of("soft-prefix", options, f"{decoding}\nhypotheses = 3").generate(requests)

    for first, output in zip(best, several, strict=True):
        assert first.text in [text for text, _score in output.candidates]
    alone = system_of("soft-prefix", options, f"{decoding}\nhypotheses = 3").generate(requests[:1])
    assert alone[0].candidates[0][1] == pytest.approx(several[0].candidates[0][1], abs=1e-4)
