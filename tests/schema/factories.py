"""Parts of schema texts."""

FORMALITY = """
[[attribute]]
key = "formality"
label = "Formality"
code = "For"
kind = "ordinal"
values = ["plain", "formal"]
filled_by = "sampler"
guide = "How formal the wording is."
question = "Does the summary have the requested formality?"
prompt = "Formality : {value}"

[attribute.value_guides]
plain = "As you would tell a colleague."
formal = "As in a report."
"""
ASPECT = """
[[attribute]]
key = "aspect"
label = "Aspect"
code = "Asp"
kind = "categories"
values = ["challenge", "approach", "outcome"]
value_labels = { challenge = "Challenge", approach = "Approach", outcome = "Outcome" }
filled_by = "sampler"
guide = "Which question about the paper the summary answers."
question = "Is the summary about the requested aspect alone?"
prompt = "Aspect : {value}"

[attribute.value_guides]
challenge = "What the paper is up against."
approach = "What the authors do about it."
outcome = "What they find."
"""
