"""Adapters: several beside one model, each of its own effect."""

import json
import warnings

import pytest

from epitome.schema import SchemaError
from epitome.systems.config import parse_config
from epitome.systems.protocol import MissingWeights, SystemFault


def adapter(folder, base, seed, targets):
    """An adapter with random weights, saved as peft saves it."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    encoder = json.loads((base / "config.json").read_text()).get("is_encoder_decoder")
    model = (AutoModelForSeq2SeqLM if encoder else AutoModelForCausalLM).from_pretrained(base)
    torch.manual_seed(seed)
    peft_model = get_peft_model(model, LoraConfig(r=4, target_modules=targets, init_lora_weights=False, lora_alpha=32))
    peft_model.save_pretrained(folder)
    return folder


@pytest.mark.models
@pytest.mark.parametrize(("architecture", "targets"), [("bart", ["q_proj", "v_proj"]), ("llama", ["q_proj", "v_proj"])])
def test_each_adapter_writes_differently_beside_the_others(
    folder_of, system_of, requests, tmp_path, architecture, targets
):
    base = folder_of(architecture)
    for number, name in enumerate(("first", "second")):
        adapter(tmp_path / name, base, number, targets)
    both = f'[options.adapters]\nfirst = "{tmp_path / "first"}"\nsecond = "{tmp_path / "second"}"'

    def texts(choice):
        options = f'weights = "{base}"\n{choice}\n{both}'
        system = system_of("lora", options)
        return [item.text for item in system.generate(requests)]

    kind = "causal" if architecture == "llama" else "seq2seq"
    plain = [item.text for item in system_of(kind, f'weights = "{base}"').generate(requests)]
    first, other = texts('adapter = "first"'), texts('adapter = "second"')
    assert plain != first != other != plain


@pytest.mark.models
@pytest.mark.parametrize("architecture", ["bart", "llama"])
def test_scores_with_an_adapter_are_those_of_plain_peft(folder_of, system_of, request_of, tmp_path, architecture):
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    base, request = folder_of(architecture), request_of(1, text="the cat went home")
    adapter(tmp_path / "first", base, 1, ["q_proj", "v_proj"])
    kind, auto = "causal-scorer", AutoModelForCausalLM
    if architecture == "bart":
        kind, auto = "seq2seq-scorer", AutoModelForSeq2SeqLM
    adapted = f'max_text_tokens = 60\n[options.adapters]\nfirst = "{tmp_path / "first"}"'
    scorer = system_of(kind, f'weights = "{base}"\ninput = "hp"\n{adapted}')
    (scores,) = scorer.score([request])

    model = PeftModel.from_pretrained(auto.from_pretrained(base), tmp_path / "first").eval()
    (source,) = scorer.sources([scorer._prompt(request)])
    target = scorer.text_ids(request.text)
    with torch.inference_mode():
        if architecture == "bart":
            logits = model(input_ids=torch.tensor([source.ids]), labels=torch.tensor([target])).logits[0]
        else:
            logits = model(torch.tensor([[*source.ids, *target]])).logits[0, len(source.ids) - 1 : -1]
    plain = logits.log_softmax(-1).gather(1, torch.tensor(target)[:, None])[:, 0].tolist()
    assert scores.log_probabilities == pytest.approx(plain, abs=1e-4)
    (without,) = system_of(kind, f'weights = "{base}"\ninput = "hp"\nmax_text_tokens = 60').score([request])
    assert abs(scores.total - without.total) > 0.1


@pytest.mark.models
def test_the_hash_is_of_model_and_adapters(folder_of, system_of, tmp_path, request_of):
    base = folder_of()
    adapter(tmp_path / "first", base, 1, ["q_proj"])
    options = f'weights = "{base}"\n[options.adapters]\nfirst = "{tmp_path / "first"}"'

    output = system_of("lora", options).generate([request_of(0)])[0]

    assert output.weights != system_of("seq2seq", f'weights = "{base}"').load().hash
    assert "peft" in output.versions


@pytest.mark.models
def test_an_adapter_is_loaded_without_a_warning_to_users(folder_of, system_of, tmp_path):
    adapter(tmp_path / "first", folder_of(), 1, ["q_proj"])
    options = f'weights = "{folder_of()}"\n[options.adapters]\nfirst = "{tmp_path / "first"}"'

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        system_of("lora", options).load()
    assert [str(warning.message) for warning in seen if warning.category is FutureWarning] == []


@pytest.mark.models
def test_an_adapter_of_another_model_is_refused(folder_of, system_of, tmp_path):
    adapter(tmp_path / "first", folder_of("bart", width=64), 1, ["q_proj"])
    options = f'weights = "{folder_of()}"\n[options.adapters]\nfirst = "{tmp_path / "first"}"'

    with pytest.raises(SystemFault, match="does not fit the model"):
        system_of("lora", options).load()


@pytest.mark.models
def test_an_adapter_that_is_not_there_is_told(folder_of, system_of, tmp_path):
    options = f'weights = "{folder_of()}"\n[options.adapters]\nfirst = "{tmp_path / "nowhere"}"'

    with pytest.raises(MissingWeights, match="nowhere"):
        system_of("lora", options).load()


def test_which_of_several_adapters_writes_must_be_said():
    text = (
        '[system]\nkey = "x"\nkind = "lora"\n[options]\nweights = "base"\n'
        '[options.adapters]\nfirst = "a"\nsecond = "b"\n'
    )
    with pytest.raises(SchemaError, match="first, second"):
        parse_config(text)
