"""The tokenizer is NLTK's, and the rest of NLTK stays out until somebody asks for it."""

import subprocess
import sys

CODE = """
import sys
from annotation.text.treebank import treebank_tokenize
mine = treebank_tokenize()("He didn't pay $5.50 (\\"no\\") -- cannot, won't; it's 4:30...")
assert not [name for name in sys.modules if name.split(".")[0] in ("nltk", "scipy", "sklearn")]
import nltk
assert nltk.__version__ and nltk.stem.PorterStemmer().stem("running") == "run"
from nltk.tokenize.destructive import NLTKWordTokenizer
assert mine == NLTKWordTokenizer().tokenize("He didn't pay $5.50 (\\"no\\") -- cannot, won't; it's 4:30...")
print(" ".join(mine))
"""


def test_only_the_tokenizer_is_loaded_and_the_whole_of_nltk_can_be_afterwards():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "He did n't pay $ 5.50 ( `` no '' ) -- can not , wo n't ; it 's 4:30 ..."
