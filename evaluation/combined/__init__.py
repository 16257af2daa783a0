"""People and model judges together: estimates that cost fewer human judgements at the same certainty. Pure.

Human judgements are few and right by definition; a judge's are many and may be wrong. Every estimate here is centred on
what people would say of all items, however bad the judge; a good judge only makes the interval narrower.
"""
