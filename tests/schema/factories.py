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
