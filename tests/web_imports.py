"""What the web process imports, and what it must not."""

HEAVY_PACKAGES = ["spacy", "torch", "transformers", "nltk", "sklearn", "scipy", "pandas", "pyarrow", "thinc"]
HEAVY_PACKAGES += ["rouge_score_rs", "rouge_score", "statsmodels", "krippendorff"]
LIST_WEB_IMPORTS = """
import json, sys
import epitome.site.wsgi
from django.urls import get_resolver
def walk(patterns):
    for p in patterns:
        walk(getattr(p, "url_patterns", []))
walk(get_resolver().url_patterns)
print(json.dumps(sorted(name for name in sys.modules if "." not in name)))
"""
