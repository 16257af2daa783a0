"""The 15 features by hand, word vectors, inputs of models, and the rankers without weights."""

import numpy as np
import pytest

from epitome.schema import SchemaError, parse_schema
from epitome.systems.config import parse_config
from epitome.systems.protocol import AggregationTask, NamedEntity, Request, SystemFault
from epitome.systems.ranking.features import FEATURES, TaskWords, compute_features, feature_matrix
from epitome.systems.ranking.inputs import MAX_WORDS, format_task
from epitome.systems.ranking.vectors import VARIABLE, WordVectors, cosine, load_vectors
from epitome.systems.ranking.words import content_lemmas, content_words
from epitome.systems.registry import make_system
from epitome.systems.serialization import Schemas, request_as_json
from tests.rankings.factories import SCHEMA

ANNE = NamedEntity("Anne Roy", "She is a senator of France, a French senator.")
PAUL = NamedEntity("Paul Blanc", "He is a French writer.")
TASK = AggregationTask("person", (ANNE, PAUL), "Paris votes", "The senators met in Paris.", (3, 0, 3))
CANDIDATES = ("french senators", "rivers", "french writers")


@pytest.fixture
def vectors(tmp_path, monkeypatch):
    file = tmp_path / "vectors.txt"
    file.write_text("5 2\nfrench 1 0\nsenator 0 1\nwriter 0 1\nparis 1 1\nfrench 9 9\n")
    monkeypatch.setenv(VARIABLE, str(file))
    return WordVectors(file)


def request_of(task=TASK, candidates=CANDIDATES, seed=1):
    schema = parse_schema(SCHEMA, needs_attributes=False)
    return Request("article-1#0", (), {}, schema, seed=seed, candidates=candidates, aggregation=task)


def system_of(kind, options=""):
    return make_system(parse_config(f'[system]\nkey = "s"\nkind = "{kind}"\n[options]\n{options}'))


def test_words_lose_punctuation_stop_words_and_capitals_and_texts_are_lemmatised():
    assert content_words("The French senators, and the U.S.!") == ("french", "senators", "u.s.")
    assert content_lemmas(["The senators met in cities."]) == [("senator", "meet", "city")]


def test_the_15_features_of_a_written_case(vectors):
    words = TaskWords(
        backgrounds=(("senator", "france", "french", "senator"), ("french", "writer")),
        context=("paris", "vote", "senator", "paris"),
        names=("anne", "roy", "paul", "blanc"),
        vectors=vectors,
    )
    values = dict(zip(FEATURES, compute_features(words, ("french", "senator"), 7), strict=True))
    embeddings = {name: values.pop(name) for name in list(values) if name.endswith("embedding")}
    assert values == {
        "train-count": 7,
        "background-count": 4,  # french twice, senator twice
        "background-unique": 2,
        "overlap-unique": 1,  # french
        "background-entities": 2,
        "context-count": 1,
        "context-unique": 1,
        "all-count": 5,
        "all-unique": 2,
        "overlap-context-unique": 2,
    }
    candidate = np.array([0.5, 0.5])
    # B: senator, french, senator, french, writer; france has no vector
    assert embeddings["background-embedding"] == pytest.approx(cosine(candidate, np.array([0.4, 0.6])))
    assert embeddings["overlap-embedding"] == pytest.approx(0.5**0.5)  # french alone
    # C: paris, senator, paris
    assert embeddings["context-embedding"] == pytest.approx(cosine(candidate, np.array([2 / 3, 1])))
    # E + B + C: two french, three senators, a writer, two paris
    assert embeddings["all-embedding"] == pytest.approx(cosine(candidate, np.array([4 / 8, 6 / 8])))
    # I with C: french, paris, senator; vote has no vector
    assert embeddings["overlap-context-embedding"] == pytest.approx(1)


def test_a_word_said_twice_by_the_candidate_counts_twice_but_is_one_unique_word():
    words = TaskWords((("bank", "bank"), ("loan",)), ("bank",), ())
    values = dict(zip(FEATURES, compute_features(words, ("bank", "bank"), 0), strict=True))
    assert (values["background-count"], values["background-unique"]) == (4, 1)
    assert (values["context-count"], values["context-unique"], values["all-count"]) == (2, 1, 6)
    assert (values["overlap-unique"], values["background-entities"]) == (0, 1)


def test_backgrounds_and_context_are_lemmas_and_the_candidate_is_not():
    task = AggregationTask("person", (ANNE, PAUL), "", "The senators met.", (0, 0))
    singular, plural = feature_matrix(task, ("senator", "senators"), None)
    assert singular[FEATURES.index("background-count")] == 2
    assert singular[FEATURES.index("context-count")] == 1
    assert plural[FEATURES.index("context-count")] == 0


def test_words_without_vectors_give_zero(vectors):
    matrix = feature_matrix(TASK, CANDIDATES, vectors)
    columns = [FEATURES.index(name) for name in FEATURES if name.endswith("embedding")]
    assert (matrix[1, columns] == 0).all() and (matrix[0, columns] > 0).all()
    assert (feature_matrix(TASK, CANDIDATES, None)[:, columns] == 0).all()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("french 1 0\nwriter 1\n", "line 2: has 1 numbers instead of 2"),
        ("", "holds no word vectors"),
        ("french 1 nan\n", "not of finite numbers"),
        ("french 1 x\n", "not of numbers"),
    ],
)
def test_a_damaged_file_of_vectors_is_refused_with_its_place(tmp_path, content, words):
    file = tmp_path / "vectors.txt"
    file.write_text(content)
    with pytest.raises(SystemFault, match=words):
        WordVectors(file).mean(["french"])


def test_the_file_is_named_by_the_environment(vectors, monkeypatch):
    loaded = load_vectors()
    assert loaded is not None and (loaded.name, loaded.dimensions) == ("vectors.txt", 2)
    monkeypatch.setenv(VARIABLE, "/nowhere/vectors.txt")
    with pytest.raises(SystemFault, match=r"EPITOME_VECTORS: /nowhere/vectors\.txt cannot be read"):
        load_vectors()
    monkeypatch.delenv(VARIABLE)
    assert load_vectors() is None


def test_inputs_are_joined_as_published_and_lose_parts_for_the_ablation():
    background = f"{ANNE.background} {PAUL.background}"
    context = "Paris votes: The senators met in Paris."
    assert format_task(TASK) == f"{background} {context} Anne Roy, Paul Blanc"
    assert format_task(TASK, "no-background") == f"{context} Anne Roy, Paul Blanc"
    assert format_task(TASK, "no-context") == f"{background} Anne Roy, Paul Blanc"
    assert format_task(TASK, "names") == "Anne Roy, Paul Blanc"


def test_the_last_750_words_are_kept():
    long = AggregationTask("person", (NamedEntity("Anne Roy", "word " * 900), PAUL), "Title", "Context.")
    words = format_task(long).split()
    assert len(words) == MAX_WORDS and words[-6:] == ["Title:", "Context.", "Anne", "Roy,", "Paul", "Blanc"]


def test_random_scores_are_alike_and_their_order_depends_on_the_seed_of_the_request():
    system = system_of("rank-random")
    (first,), (again,) = system.rank([request_of(seed=1)]), system.rank([request_of(seed=1)])
    assert first.candidates == again.candidates and {score for _text, score in first.candidates} == {0.0}
    orders = {tuple(text for text, _score in system.rank([request_of(seed=n)])[0].candidates) for n in range(60)}
    assert len(orders) == 6


def test_frequency_ranks_by_golds_in_train():
    (output,) = system_of("rank-frequency").rank([request_of()])
    assert dict(output.candidates) == {"french senators": 3, "rivers": 0, "french writers": 3}
    assert output.candidates[-1] == ("rivers", 0.0) and output.text == output.candidates[0][0]


def test_a_feature_ranks_alone_and_says_which_vectors_it_had(vectors, monkeypatch):
    system = system_of("rank-feature", 'feature = "background-embedding"')
    (output,) = system.rank([request_of()])
    assert output.candidates[-1][0] == "rivers" and output.decoding["vectors"] == "vectors.txt"
    monkeypatch.delenv(VARIABLE)
    assert system.rank([request_of()])[0].decoding["vectors"] == "none"
    counting = system_of("rank-feature", 'feature = "background-count"').rank([request_of()])[0]
    assert counting.decoding == {"feature": "background-count"} and "pipeline" in counting.versions


def test_an_unknown_feature_or_a_logistic_regression_without_numbers_is_refused():
    with pytest.raises(SchemaError, match="must be one of"):
        system_of("rank-feature", 'feature = "length"')
    with pytest.raises(SchemaError, match="15 numbers"):
        system_of("rank-logistic", "means = [1.0]\nscales = [1.0]\ncoefficients = [1.0]\nbias = 0.0")


def test_a_logistic_regression_ranks_by_the_probability_of_gold():
    lists = {"means": [0.0] * 15, "scales": [1.0] * 15, "coefficients": [1.0, *[0.0] * 14]}
    options = "\n".join(f"{name} = {values}" for name, values in lists.items()) + "\nbias = -3.0"
    (output,) = system_of("rank-logistic", options).rank([request_of()])
    scores = dict(output.candidates)
    assert scores["french writers"] == pytest.approx(0.5)
    assert scores["rivers"] == pytest.approx(1 / (1 + np.exp(3)))


def test_a_request_without_entities_or_candidates_is_refused():
    with pytest.raises(SystemFault, match="names no entities"):
        system_of("rank-frequency").rank([request_of(task=None)])
    with pytest.raises(SystemFault, match="no texts to rank"):
        system_of("rank-random").rank([request_of(candidates=())])


def test_a_task_reaches_the_process_of_a_system_as_it_was():
    request = request_of()
    schemas = Schemas()
    schemas.known["hash"] = request.schema
    assert schemas.request(request_as_json(request, "hash")) == request
    plain = request_of(task=None)
    assert schemas.request(request_as_json(plain, "hash")).aggregation is None
