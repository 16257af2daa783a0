"""A real instruct model of 135M weights, where its folder is below EPITOME_MODELS_DIR: equal to plain transformers."""

import pytest

from epitome.prompts.chat import summary_messages
from epitome.schema import load_preset
from epitome.systems.neural.weights import find_operator_weights
from epitome.systems.protocol import Request

NAME = "smollm2-135m"
pytestmark = [pytest.mark.models, pytest.mark.slow]
ARTICLE = (
    "The mayor of Ashford opened a new bridge on Monday. It cost 12 million pounds and took three years. "
    "Residents said that the walk to school is now ten minutes shorter."
)


@pytest.fixture(scope="module")
def folder():
    """SmolLM2-135M-Instruct as safetensors."""
    found = find_operator_weights(NAME)
    if found is None:
        pytest.skip(f"NOT RUN: there is no folder {NAME} below EPITOME_MODELS_DIR")
    return found


@pytest.fixture
def request_for():
    values = {"length": "short", "extractiveness": "high", "specificity": "normal", "topic": ("bridge",), "speaker": ()}
    segments = ({"speaker": "", "text": ARTICLE},)

    def make(text=None):
        return Request(id="a", segments=segments, values=values, schema=load_preset("macsum-doc"), seed=1, text=text)

    return make


def test_texts_and_scores_are_those_of_plain_transformers(folder, system_of, request_for):
    import torch

    options = f'weights = "{folder}"\ninput = "hp"\ndevice = "cpu"\ndtype = "float32"'
    decoding = "beams = 1\nmax_tokens = 24\nmin_tokens = 0\nno_repeat_ngram = 0"
    writer = system_of("causal", options, decoding)
    output = writer.generate([request_for()])[0]
    model, tokenizer = writer.loaded.model, writer.loaded.tokenizer
    scorer = system_of("causal-scorer", options)
    scorer.adopt(writer.loaded)
    (scores,) = scorer.score([request_for(output.text)])

    messages, _cut = summary_messages(request_for(), dict(request_for().values))
    arguments = {"add_generation_prompt": True, "return_tensors": "pt", "return_dict": True}
    read = tokenizer.apply_chat_template(messages, **arguments)["input_ids"]
    with torch.inference_mode():
        written = model.generate(read, max_new_tokens=24, do_sample=False)[0, read.shape[1] :]
        target = [*tokenizer(output.text, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
        logits = model(torch.cat([read, torch.tensor([target])], dim=1)).logits[0, read.shape[1] - 1 : -1]
    assert output.text == tokenizer.decode(written, skip_special_tokens=True).strip() and "Ashford" in output.text
    plain = logits.log_softmax(-1).gather(1, torch.tensor(target)[:, None])[:, 0].tolist()
    assert scores.log_probabilities == pytest.approx(plain, abs=1e-4)
