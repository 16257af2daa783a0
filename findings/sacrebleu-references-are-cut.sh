#!/usr/bin/env bash
# sacrebleu: references given as one list per output are no error; only the first lines are scored.
#
# `corpus_bleu(outputs, references)` wants one list per *set* of references. Expected of the other nesting, one list
# per output as other libraries take it, or of a set with too few lines: an error, because three outputs cannot be
# compared with one line. Seen with sacrebleu 2.6.0: outputs and references are zipped to the shortest, so one right
# output of three and two wrong ones have BLEU 100.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sacrebleu==2.6.0
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import sacrebleu

outputs = ["the cat sat on the mat", "dogs bark at the moon tonight", "rain fell over the whole valley"]
references = ["the cat sat on the mat", "nobody came to the market", "she reads the news at noon"]
scores = {
    "one set of three": sacrebleu.corpus_bleu(outputs, [references]).score,
    "one list per output": sacrebleu.corpus_bleu(outputs, [[text] for text in references]).score,
    "one set of one": sacrebleu.corpus_bleu(outputs, [references[:1]]).score,
}
for name, score in scores.items():
    print(f"{name}: BLEU {score:.1f}")
seen = [round(score) for score in scores.values()]
sys.exit(0 if seen[0] < 50 and seen[1:] == [100, 100] else f"changed: {scores}")
PYTHON
