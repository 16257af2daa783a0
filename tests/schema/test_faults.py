"""A faulty schema is refused with the file, the line and the key of the fault."""

import random

import pytest

from epitome.schema import SchemaError, load_preset, parse_schema, parse_weights, preset_text

DOC = preset_text("macsum-doc")


def line_with(text: str, part: str, nth: int = 0) -> int:
    return [number for number, line in enumerate(text.split("\n"), 1) if part in line][nth]


def refused(text: str) -> SchemaError:
    with pytest.raises(SchemaError) as caught:
        parse_schema(text, name="mine.toml")
    return caught.value


CASES = [
    # (what stands in the preset, what is put there, place of the faulty line's text, key, message)
    ('kind = "ordinal"', 'kind = "ordinel"', "ordinel", "attribute[length].kind", 'did you mean "ordinal"'),
    (
        'values = ["short", "normal", "long"]',
        'values = ["short", "long", "short"]',
        "values = ",
        "attribute[length].values",
        "stands twice",
    ),
    (
        'values = ["short", "normal", "long"]',
        'values = ["short", "Short"]',
        "values = ",
        "attribute[length].values",
        "stands twice",
    ),
    ('values = ["short", "normal", "long"]', "values = []", "values = []", "attribute[length].values", "not be empty"),
    (
        'values = ["short", "normal", "long"]',
        'values = ["short", 3]',
        "values = ",
        "attribute[length].values",
        "one is 3",
    ),
    (
        'values = ["short", "normal", "long"]',
        'vaules = ["a"]',
        "vaules",
        "attribute[length].vaules",
        'did you mean "values"',
    ),
    ('values = ["short", "normal", "long"]\n', "", "[[attribute]]", "attribute[length]", '"values" is missing'),
    ('code = "Ext"', 'code = "len"', 'code = "len"', "attribute[extractiveness].code", "the code of length already"),
    ('key = "specificity"', 'key = "length"', 'key = "length"', "attribute[length].key", "stands twice"),
    ('key = "specificity"', 'key = "source"', 'key = "source"', "attribute[source].key", "reserved"),
    ('key = "specificity"', "key = 7", "key = 7", "attribute[3].key", "must be text, is 7"),
    (
        'aliases = { fully = "full" }',
        'aliases = { high = "full" }',
        "aliases =",
        "attribute[extractiveness].aliases.high",
        "already",
    ),
    (
        'aliases = { fully = "full" }',
        'aliases = { fully = "ful" }',
        "aliases =",
        "attribute[extractiveness].aliases.fully",
        'did you mean "full"',
    ),
    (
        'aliases = { fully = "full" }',
        'aliases = "fully"',
        "aliases =",
        "attribute[extractiveness].aliases",
        "must be a table",
    ),
    ("min_picks = 1", "min_picks = 6", "min_picks", "attribute[topic].min_picks", "is 6, above max_picks, which is 5"),
    ("min_picks = 1", "min_picks = true", "min_picks", "attribute[topic].min_picks", "must be a whole number, is True"),
    (
        "min_picks = 1",
        'values = ["a"]',
        'values = ["a"]',
        "attribute[topic].values",
        "does not go with the kind keywords",
    ),
    (
        "low = 0.045, high = 0.06",
        "low = 0.07, high = 0.06",
        "low = 0.07",
        "attribute[length].bands.short.low",
        "is 0.07, above high",
    ),
    (
        "low = 0.045, high = 0.06",
        "low = nan, high = 0.06",
        "low = nan",
        "attribute[length].bands.short.low",
        "must be a number",
    ),
    (
        "low = 0.045, high = 0.06",
        "low = 0.045, high = " + "9" * 400,
        "high = " + "9" * 400,
        "attribute[length].bands.short.high",
        "must be a number",
    ),
    (
        "low = 0.045, high = 0.06",
        "low = 0.045, high = inf",
        "high = inf",
        "attribute[length].bands.short.high",
        "must be a number",
    ),
    (
        'of = "relevant_words", low = 0.045',
        'of = "lines", low = 0.045',
        "lines",
        "attribute[length].bands.short.of",
        "relevant_words, words",
    ),
    ("short = { of", "shrot = { of", "shrot", "attribute[length].bands.shrot", 'did you mean "short"'),
    ("weights = { short = 125", "weights = { short = -1", "short = -1", "attribute[length].weights.short", "from 0"),
    ('anchor = "normal"', 'anchor = "middle"', "middle", "attribute[length].anchor", "short, normal, long"),
    ('filled_by = "sampler"', 'filled_by = "annotator"', "annotator", "attribute[length].filled_by", "must be sampler"),
    ('guide = "How many', 'guide = "{{ user }} How many', "{{ user", "attribute[length].guide", "template syntax"),
    ('guide = "How many', 'guide = "{% load x %} How many', "{% load", "attribute[length].guide", "template syntax"),
    (
        'guide = "How many',
        'guide = "<script>x</script> How many',
        "<script>",
        "attribute[length].guide",
        "tag or script",
    ),
    (
        'guide = "How many',
        'guide = "<img src=x onerror=y> How many',
        "<img",
        "attribute[length].guide",
        "tag or script",
    ),
    ('guide = "How many', 'guide = "\\u0000How many', "u0000", "attribute[length].guide", "control character"),
    ('label = "Length"', 'label = " "', 'label = " "', "attribute[length].label", "not be empty"),
    (
        'prompt = "Length : {value}"',
        'prompt = "{value.__class__}"',
        "__class__",
        "attribute[length].prompt",
        "has the place",
    ),
    ('prompt = "Length : {value}"', 'prompt = "{value"', "{value", "attribute[length].prompt", "brace"),
    ("Topic : {topic} ;", "Topic : {tpoic} ;", "{tpoic}", "prompt.hp", 'the place "tpoic"'),
    ("group_size = 2", "group_size = 0", "group_size", "sampling.group_size", "from 1 to 100"),
    ("group_size = 2", 'group_size = "2"', "group_size", "sampling.group_size", "must be a whole number"),
    ('algorithm = "uniform"', 'algorithm = "random"', "random", "sampling.algorithm", "uniform, one-step"),
    ('domain = "document"', 'domain = "news"', "news", "domain", "document, dialogue"),
    ('language = "en"', 'language = "English!"', "English", "language", "language tag"),
    ('language = "en"', 'langauge = "en"', "langauge", "langauge", 'did you mean "language"'),
    ('kind = "keywords"', 'kind = "speakers"', "speakers", "attribute[topic].kind", "domain dialogue"),
]


@pytest.mark.parametrize(
    ("old", "new", "marker", "key", "message"), CASES, ids=[f"{c[3]}-{i}" for i, c in enumerate(CASES)]
)
def test_fault_names_line_and_key(old, new, marker, key, message):
    assert old in DOC
    text = DOC.replace(old, new, 1)
    error = refused(text)
    lines = zip(DOC.split("\n"), text.split("\n"), strict=False)
    changed = next(number for number, (line_before, line_after) in enumerate(lines, 1) if line_before != line_after)
    places = [number for number, line in enumerate(text.split("\n"), 1) if marker in line]
    assert error.key == key
    assert error.line in places and (error.line == changed or new == "")
    assert message in error.message
    assert str(error).startswith(f"mine.toml, line {error.line}: {key}: ")


def test_doubled_key_in_a_table():
    text = DOC.replace('label = "Specificity"', 'label = "Specificity"\nlabel = "Detail"')
    error = refused(text)
    assert error.line == line_with(text, 'label = "Detail"')
    assert error.key.endswith("label") and "stands twice" in error.message


def test_doubled_key_in_an_inline_table():
    text = DOC.replace('aliases = { fully = "full" }', 'aliases = { fully = "full", fully = "high" }')
    error = refused(text)
    assert error.line == line_with(text, "aliases =")
    assert error.key.endswith("aliases") and "stands twice" in error.message


def test_doubled_table():
    error = refused(DOC.replace("[limits]", "[sampling]\n[limits]"))
    assert error.line == line_with(DOC, "[limits]") and "stands twice" in error.message


@pytest.mark.parametrize("options", [101, 1_000, 1_001, 50_000])
def test_too_many_options(options):
    values = ", ".join(f'"v{number}"' for number in range(options))
    text = DOC.replace('values = ["short", "normal", "long"]', f"values = [{values}]")
    error = refused(text)
    if options < 50_000:  # above that the whole text is too long
        assert error.key == "attribute[length].values" and error.line == line_with(text, '"v0"')
        assert f"{options} entries; the most is 100" in error.message


def test_hundred_options_are_enough():
    values = ", ".join(f'"{number}"' for number in range(100))
    text = BINS.replace("bins", "ordinal") + f"values = [{values}]"
    assert len(parse_schema(text).attribute("x").values) == 100


def test_a_value_over_several_lines_counts_from_its_key():
    text = DOC.replace('values = ["short", "normal", "long"]', 'values = [\n  "short",  # a ] bracket\n  "short",\n]')
    error = refused(text)
    assert error.line == line_with(text, "values = [")


def test_keys_after_texts_over_several_lines_are_found():
    text = DOC.replace(
        'label = "Specificity"', 'label = "Specificity"\nquestion = """\n[[attribute]]\nkind = "x" \\""" \n"""', 1
    )
    text = text.replace('question = "Does the summary follow the requested specificity?"', "mesure = 3")
    error = refused(text)
    assert error.key == "attribute[specificity].mesure" and error.line == line_with(text, "mesure = 3")


def test_dotted_keys_are_found():
    text = DOC.replace('aliases = { fully = "full" }', 'aliases."fully" = "none"')
    assert refused(text).line == line_with(text, 'aliases."fully"')


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("key = \n", 1, "not sound TOML"),
        ('name = "x"\nkey = "abc', 2, "not sound TOML"),
        ("x = " + "[" * 100_000, 1, "nested too deeply"),
        ("x = " + "9" * 5_000, 1, "not sound TOML"),
        ('name = "a"\nkey = "\ud83d"', 2, "cannot be stored"),
        ('name = "a"\nkey = "\0"', 2, "cannot be stored"),
        ("", 1, '"domain" is missing'),
        ('domain = "document"\nkey = "a"\nname = "A"', 1, "no [[attribute]]"),
        ('domain = "document"\nkey = "a"\nname = "A"\nattribute = 3', 4, "must be a list"),
        ('domain = "document"\nkey = "a"\nname = "A"\nattribute = [3]', 4, "must be a table"),
        ('domain = "document"\nkey = "a"\nname = "A"\nattribute = []', 4, "is empty"),
        (DOC + "\n[split]\nshares = [60, 20]\n", DOC.count("\n") + 3, "three whole numbers"),
        (DOC + "\n[split]\nshares = [60, 20, 21]\n", DOC.count("\n") + 3, "sum to 100"),
        (DOC + "\n[split]\nshares = [0, 50, 50]\n", DOC.count("\n") + 3, "train cannot be empty"),
        ("#" * 200_001, 1, "the most is 200000"),
    ],
)
def test_unreadable_texts(text, line, message):
    error = refused(text)
    assert error.line == line and message in str(error)
    assert len(str(error)) < 500


@pytest.mark.parametrize("piece", ['"""\\', '"\\', "'''", '"', "[[", "a.", "{", "\\"])
def test_repeated_openings_are_refused(piece):
    """With a pattern that looks back these would run for minutes."""
    assert refused("x = " + piece * (190_000 // len(piece))).name == "mine.toml"


def test_too_many_attributes_for_a_code():
    head, item = BINS.replace("bins", "ordinal").split("[[")
    item = f'[[{item}values = ["aaab", "aaac"]\n'
    every = [item.replace('"x"', f'"x{number}"\ncode = "x{number}"') for number in range(15)]
    error = refused(head + "".join(every))
    assert "characters long" in error.message and error.key == "attribute"


BINS = 'key = "a"\nname = "A"\ndomain = "document"\n[[attribute]]\nkey = "x"\nlabel = "X"\nkind = "bins"\nguide = "g"\n'


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ("edges = [50, 50]", "must be whole numbers above 0 that rise"),
        ("edges = [0]", "must be whole numbers above 0"),
        ("edges = [1.5]", "must be whole numbers"),
        ("edges = []", "not be empty"),
        ('edges = [1, 2]\nvalues = ["a"]', "1 entries, but there are 2 edges"),
        ("", '"edges" is missing'),
    ],
)
def test_faulty_bins(edges, message):
    assert message in refused(BINS + edges).message


def test_bins_name_their_values_by_number():
    attribute = parse_schema(BINS + "edges = [10, 20]").attribute("x")
    assert attribute.values == ("0", "1") and attribute.band("1").as_dict() == {"of": "words", "low": 11, "high": 20}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[release]\nvariants = [{ weight = 1, values = { length = "shrot" } }]', 'did you mean "short"'),
        ("[release]\nvariants = [{ weight = 0 }]", "needs a weight above 0"),
        ("[marginals]\nlength = { short = 0 }", "needs a weight above 0"),
        ("[marginals]\ntopic = { a = 1 }", "unknown key"),
        ("[release]\nanchor = 3", "must be a table"),
    ],
)
def test_faulty_weights(text, message):
    with pytest.raises(SchemaError) as caught:
        parse_weights(text, load_preset("macsum-doc"), name="w.toml")
    assert message in str(caught.value) and "w.toml, line 2" in str(caught.value)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_texts_are_refused_or_read_never_worse(seed):
    """Random damage ends in a schema or in a SchemaError with a line of the text."""
    chance = random.Random(seed)
    pieces = [*'"[]{}=.#\\é0\n', "'''", '"""', "nan", "1e400", "true", "[[attribute]]\n"]
    for _ in range(150):
        text = DOC
        for _ in range(chance.randint(1, 3)):
            at, length = chance.randrange(len(text)), chance.choice((0, 1, 1, 5, 40))
            text = text[:at] + chance.choice(["", *pieces]) + text[at + length :]
        try:
            parse_schema(text)
        except SchemaError as error:
            assert 1 <= error.line <= text.count("\n") + 1
            assert len(str(error)) < 500
