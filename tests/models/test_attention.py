"""The attention of written tokens, on tiny decoder-only models: equal to one plain pass over the whole sequence."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from epitome.systems.neural.attention import read_attention
from epitome.systems.protocol import SystemFault
from tests.models import tiny
from tests.models.test_lora import adapter

pytestmark = pytest.mark.models
OPTIONS = 'input = "hp"'


@pytest.mark.parametrize("architecture", ["gpt2", "llama"])
def test_every_row_is_the_mean_attention_of_a_plain_pass(folder_of, system_of, request_of, architecture):
    import torch

    system = system_of("causal", f'weights = "{folder_of(architecture)}"\n{OPTIONS}')
    request = request_of(1)
    attention = read_attention(system, request)

    model = system.loaded.model
    (row,) = system.encode([system.prompt(request, dict(request.values))])
    with torch.inference_mode():
        (written,) = system.write([row], [request], system.decoding())
        summary = written[: len(attention.weights)]
        plain = model(torch.tensor([[*row.ids, *summary]]), output_attentions=True).attentions
    mean = torch.stack([layer[0].mean(dim=0) for layer in plain]).mean(dim=0)[len(row.ids) :]
    assert torch.allclose(torch.tensor(attention.weights), mean, atol=1e-5)
    assert attention.n_prompt == len(row.ids)
    assert all(sum(weights) == pytest.approx(1, abs=1e-4) for weights in attention.weights)


def test_the_control_tokens_are_those_before_the_source(folder_of, system_of, request_of):
    system = system_of("causal", f'weights = "{folder_of("llama")}"\n{OPTIONS}')
    request = request_of(1)
    attention = read_attention(system, request)
    prompt = system.prompt(request, dict(request.values))
    (row,) = system.encode([prompt])
    control = "".join(system.loaded.tokenizer.decode([row.ids[place]]) for place in attention.control)
    assert "normal" in control.replace(" ", "") and "Cat" not in control
    vanilla = system_of("causal", f'weights = "{folder_of("llama")}"\nattributes = []')
    assert read_attention(vanilla, request).control == []


def test_an_encoder_decoder_is_refused(folder_of, system_of, request_of):
    with pytest.raises(SystemFault, match="decoder-only"):
        read_attention(system_of("seq2seq", f'weights = "{folder_of("bart")}"'), request_of(1))


def test_the_command_prints_csv_and_draws_both_figures(folder_of, tmp_path):
    config = tmp_path / "tiny.toml"
    config.write_text(
        f'[system]\nkey = "tiny"\nkind = "causal"\n[options]\nweights = "{folder_of("llama")}"\n{OPTIONS}\n'
        "[options.decoding]\nbeams = 1\nmax_tokens = 6\nmin_tokens = 2\n"
    )
    file = tiny.write(tmp_path / "test.json", 5, 1)
    out = StringIO()
    items = ("attention_study", str(config), str(file), "--n", "3", "--figure", str(tmp_path / "a.svg"))
    call_command(*items, "--format", "csv", stdout=out, stderr=StringIO())
    lines = out.getvalue().splitlines()
    assert lines[1].startswith("Distance,Share,Share 95 % low") and any(line.startswith("3–4,") for line in lines)
    assert any(line.startswith("first token,") for line in lines) and any(line.startswith("all,") for line in lines)
    assert (tmp_path / "a.svg").read_text().startswith("<") and (tmp_path / "a-control.svg").exists()
    again = StringIO()
    call_command(*items, "--format", "csv", stdout=again, stderr=StringIO())
    assert again.getvalue() == out.getvalue()
    with pytest.raises(CommandError, match="is no decoder-only"):
        call_command("attention_study", "lead", str(file), stdout=out, stderr=StringIO())


def test_a_model_with_an_adapter_is_read_with_it(folder_of, system_of, request_of, tmp_path):
    base = folder_of("llama")
    adapter(tmp_path / "first", base, 1, ["q_proj", "v_proj"])
    options = f'weights = "{base}"\n{OPTIONS}\n[options.adapters]\nfirst = "{tmp_path / "first"}"'
    adapted = read_attention(system_of("lora", options), request_of(1))
    plain = read_attention(system_of("causal", f'weights = "{base}"\n{OPTIONS}'), request_of(1))
    assert adapted.n_prompt == plain.n_prompt and adapted.weights != plain.weights
    assert all(sum(weights) == pytest.approx(1, abs=1e-4) for weights in adapted.weights)
