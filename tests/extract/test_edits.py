"""Each kind of edit: form in, form out, and every character of it traceable to the sentence."""

import pytest

from modelbridge.systems.controlled_extract import rephrasing
from modelbridge.systems.controlled_extract.compressing import Reading
from modelbridge.systems.controlled_extract.edits import apply_edits
from modelbridge.systems.controlled_extract.letter_case import Casing
from modelbridge.systems.controlled_extract.noun_phrases import find_surnames
from modelbridge.systems.controlled_extract.parsing import load_parser
from modelbridge.systems.controlled_extract.traced import NEW, Traced, align

CASING = Casing.of(["a the when police officials it an in mayor"])
EDITS = [
    ("date", "The fire began on April 18 near the old harbor.", "The fire began on 18 April near the old harbor"),
    ("percent", "The tax rose by 5 percent last year.", "The tax rose by 5% last year"),
    ("money", "The bridge cost $3 million to build.", "The bridge cost 3 million dollars to build"),
    ("preposition", "The tax rose in March 2013.", "The tax rose in March of 2013"),
    ("contraction", "The city did not answer the letter.", "The city didn't answer the letter"),
    ("that", "The minister said the bridge was safe.", "The minister said that the bridge was safe"),
    ("that", "The mayor says that taxes are too high.", "The mayor says taxes are too high"),
    ("source", "The minister said the bridge was safe.", "The bridge was safe, the minister said"),
    (
        "source",
        "The old bridge in the town is safe, according to the mayor.",
        "According to the mayor, the old bridge in the town is safe",
    ),
    (
        "reported",
        "The old bridge in the town is safe, the mayor said.",
        "The mayor said that the old bridge in the town was safe",
    ),
    ("reported", '"We need more time," the mayor said.', "The mayor said that they needed more time"),
    ("reported", 'The mayor said, "The bridge is safe."', "The mayor said that the bridge was safe"),
    ("quote", '"We need more time," the mayor said.', 'The mayor said, "We need more time."'),
    ("relative", "The people who were held in the camp came home.", "The people held in the camp came home"),
    ("relative", "The man she met lives in Paris.", "The man that she met lives in Paris"),
    ("auxiliary", "The committee will meet in June.", "The committee is going to meet in June"),
    ("auxiliary", "The firm is going to open a shop.", "The firm will open a shop"),
    ("number", "The storm killed three people in the valley.", "The storm killed 3 people in the valley"),
    ("weekday", "Officials said Monday that the road was closed.", "Officials said on Monday that the road was closed"),
    ("dropped", "The senator made a really important speech.", "The senator made an important speech"),
    ("dropped", "The city built a small school near the river.", "The city built a school near the river"),
    ("dropped", "The party has quickly grown.", "The party has grown"),
    (
        "bracket",
        "Ann Lee, a professor of law, won the prize.",
        "Ann Lee (a professor of law) won the prize",
    ),
    (
        "order",
        "The storm killed the mayor and two doctors.",
        "The storm killed two doctors and the mayor",
    ),
    ("order", "They sold apples, pears and plums.", "They sold pears, apples and plums"),
    ("order", "Police quickly closed the road.", "Police closed the road quickly"),
    ("order", "He carried out the plan.", "He carried the plan out"),
    ("order", "At least 40 people were killed.", "40 people or more were killed"),
    ("apposition", "Company spokesman Tom Reuter said no.", "Tom Reuter, a company spokesman, said no"),
    ("both", "They fought in Iraq and Syria.", "They fought in both Iraq and Syria"),
    ("link", "He worked with doctors and nurses.", "He worked with doctors as well as nurses"),
    (
        "link",
        "The police came to the house and arrested two men.",
        "The police came to the house and also arrested two men",
    ),
    ("saying", '"It is safe," said Tom Reuter.', '"It is safe," Tom Reuter said'),
    ("saying", "The bridge was safe, officials said.", "The bridge was safe, said officials"),
    ("preposition", "The house was built in 2013.", "The house was built during 2013"),
    ("weekday", "The minister said on Monday that it was over.", "The minister said Monday that it was over"),
    ("tense", "The bank is planning a sale of its office.", "The bank plans a sale of its office"),
    ("infinitive", "He began to work with doctors.", "He began working with doctors"),
    (
        "relative",
        "The families who live there were told on Monday.",
        "The families living there were told on Monday",
    ),
    (
        "relative",
        "They stayed at the villa where the party was held.",
        "They stayed at the villa in which the party was held",
    ),
    ("auxiliary", "The mayor can leave the office.", "The mayor is able to leave the office"),
    ("auxiliary", "The council should answer the letter.", "The council ought to answer the letter"),
    ("contraction", "She is a teacher in Rome.", "She's a teacher in Rome"),
    ("comma", "The flag is red, white and blue.", "The flag is red, white, and blue"),
    ("comma", "The council met and the mayor spoke.", "The council met, and the mayor spoke"),
    ("nation", "The Syrian army left the town.", "Syria's army left the town"),
    ("order", "The family left Libya on Tuesday in a boat.", "The family left Libya in a boat on Tuesday"),
    ("age", "Ann Smith, 30, said the police had called her.", "30-year-old Ann Smith said the police had called her"),
    ("title", "The report quoted Senator Ann Brandt twice.", "The report quoted Ann Brandt twice"),
    ("surname", "They had met Ann Brandt in Paris.", "They had met Brandt in Paris"),
    ("tense", "The mayor has announced a new plan.", "The mayor announced a new plan"),
    ("aside", "The plan, however, failed.", "The plan failed"),
    ("dash", "Two boats -- a ferry and a yacht -- sank.", "Two boats, a ferry and a yacht, sank"),
    ("topic", "The book raises questions about the war.", "The book raises questions concerning the war"),
    ("period", "Prices have doubled in the past ten years.", "Prices have doubled over the past ten years"),
    ("hearer", "Smith told CNN that the law was wrong.", "Smith said to CNN that the law was wrong"),
    ("infinitive", "The bank helped reduce the debt.", "The bank helped to reduce the debt"),
    ("verb", "The cause remains unclear.", "The cause is still unclear"),
    ("verb", "They have to pay a fine.", "They must pay a fine"),
    ("saying", "The mayor says that taxes are too high.", "The mayor said that taxes are too high"),
    ("article", "Police arrested two men on Monday.", "The police arrested two men on Monday"),
    ("moved", "The court closed the case on Monday.", "On Monday, the court closed the case"),
    ("passive", "The court closed the case on Monday.", "The case was closed by the court on Monday"),
    ("active", "Two men were arrested by police.", "Police arrested two men"),
    ("word", "The country bought a large house.", "The nation bought a large house"),
    ("word", "The country bought a large house.", "The country purchased a large house"),
    ("word", "The plan lacked an odd detail.", "The plan lacked a strange detail"),
]


def parsed(text):
    parser = load_parser()
    assert parser is not None
    return parser.parse_all([text], CASING)[0]


def results(text, kind):
    """Every text that one edit of a kind makes of a sentence, with where its characters come from."""
    parse = parsed(text)
    edits = [
        *rephrasing.find_wide_edits(parse),
        *rephrasing.find_local_edits(parse, ["Ann Brandt"]),
    ]
    made = [apply_edits(Traced.of(text), [edit]) for edit in edits if edit.kind == kind]
    return [rephrasing.tidy_form(parse, traced) for traced, applied in made if applied]


@pytest.mark.parametrize(("kind", "text", "expected"), EDITS)
def test_an_edit_makes_its_form(kind, text, expected):
    assert expected in [traced.text for traced in results(text, kind)]


@pytest.mark.parametrize(("kind", "text", "expected"), EDITS)
def test_what_an_edit_keeps_points_to_the_same_characters_of_the_sentence(kind, text, expected):
    traced = next(traced for traced in results(text, kind) if traced.text == expected)
    assert len(traced.origins) == len(traced.text)
    for word in {each for each in expected.split() if len(each) > 2 and text.split().count(each) == 1}:
        at = expected.index(word)
        span = traced.source_span(at, at + len(word))
        if span is not None and span[1] - span[0] == len(word):
            assert text[slice(*span)].lower() == word.lower()
    assert max(traced.origins) < len(text) and min(traced.origins) >= NEW


def test_a_replaced_word_points_to_the_word_it_replaces():
    text = "The city did not answer the letter."
    traced = next(traced for traced in results(text, "contraction"))
    at = traced.text.index("didn't")
    assert text[slice(*traced.source_span(at, at + len("didn't")))] == "did not"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("word", 'The mayor said, "It is a big house."'),  # what is quoted stays
        ("word", "The low-key visit ended."),  # half of a hyphenated word is no word
        ("word", "The movie was made by Big Sky Movies."),  # nor is a part of a name
        ("auxiliary", "There are those who will be hurt."),  # the number of "who" is not known
        ("reported", '"You must leave," the mayor said.'),  # nor is who "you" are
        ("reported", '"I like the house," Ann Smith said.'),  # nor whether she or he likes it
        ("dropped", "A small number of people left."),  # another number
        ("dropped", "The best and most important film won."),
        ("bracket", 'Ann Lee, a "professor of law," won the prize.'),
        ("money", "The house costs between $22 and $37 million."),
        ("tense", "He has lived there since 2011."),
        ("passive", 'The court closed the case, "for now", on Monday.'),
    ],
)
def test_an_edit_is_not_made(kind, text):
    quotes = [traced.text for traced in results(text, kind)]
    assert not [changed for changed in quotes if kind != "word" or "large" in changed or "crucial" in changed]


def test_forms_get_further_from_the_sentence_by_steps():
    text = "The country did not buy a large house and the mayor said it was an important film."
    forms = rephrasing.list_forms(parsed(text), [Reading(text.rstrip("."), 1.0)])
    counts = sorted({len(form.edits) for form in forms})
    assert counts[0] == 0 and len(counts) >= 3
    assert max(forms, key=lambda form: len(form.edits)).cost > min(form.cost for form in forms)


def test_an_article_fits_the_word_that_now_follows():
    assert "a strange detail" in next(t.text for t in results("The plan lacked an odd detail.", "word"))


def test_surnames_are_those_of_people_whom_the_source_also_calls_so():
    texts = ["Ann Brandt left.", "The visit of Ann Brandt ended.", "Brandt said no.", "The visit of Tom Reuter ended."]
    assert find_surnames(texts) == {"Ann Brandt"}


def test_alignment_finds_what_was_only_shortened():
    source = "But the council, which met, agreed."
    origins = align("The council agreed", source)
    assert source[origins[4] : origins[10] + 1] == "council"
