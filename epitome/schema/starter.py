"""The schema that a project with attributes of its own starts with: one attribute, and where to add others."""

HEAD = """\
# Control attributes of this project. Each [[attribute]] table is one; add or change them, then publish a version.
# The chapter "Adding a control attribute" of the help lists every key.

key = "custom"
name = "Custom"
domain = "{domain}"
language = "{language}"

[sampling]
algorithm = "uniform"
group_size = 2
samples_per_2000_words = 8
"""
ATTRIBUTE = """
[[attribute]]
key = "length"
label = "Length"
code = "Len"
kind = "ordinal"
values = ["short", "long"]
value_labels = { short = "Short", long = "Long" }
filled_by = "sampler"
measure = "length"
guide = "How many words the summary has."
question = ""
prompt = "Length : {value}"

[attribute.value_guides]
short = "The main point only."
long = "Also the second most important points."
"""


def starter_text(domain: str, language: str = "en", *, with_attribute: bool = True) -> str:
    """The TOML text for documents ("document") or dialogues ("dialogue"). with_attribute: some kinds of task need
    none."""
    return HEAD.format(domain=domain, language=language) + (ATTRIBUTE if with_attribute else "")
