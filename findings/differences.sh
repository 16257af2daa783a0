#!/usr/bin/env bash
# What other libraries answer where Epitome gives another number: writes docs/differences.md, or says what changed.
#
#     findings/differences.sh            writes the page
#     findings/differences.sh --check    prints what changed on it, and fails if anything did
#
# The situations, the versions and the expressions are in differences/situations.toml. The libraries are installed in a
# temporary folder, those that ask for old versions of others (apart) in an environment of their own. Epitome is asked in
# EPITOME_PYTHON, by default .venv/bin/python.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build=$PWD/findings/differences/build.py
page=$PWD/docs/differences.md
PYTHONPATH=$PWD "${EPITOME_PYTHON:-.venv/bin/python}" "$build" ask epitome "$folder/epitome.json"
for environment in shared apart; do
  python3 -m venv "$folder/$environment"
  python3 "$build" packages "$environment" >"$folder/packages.txt"
  "$folder/$environment/bin/pip" install --quiet --disable-pip-version-check pandas -r "$folder/packages.txt"
  "$folder/$environment/bin/python" "$build" ask "$environment" "$folder/$environment.json"
done
python3 "$build" page "$folder/epitome.json" "$folder/shared.json" "$folder/apart.json" >"$folder/differences.md"
if [ "${1:-}" = --check ]; then
  diff --unified=0 "$page" "$folder/differences.md" && echo "nothing changed"
else
  cp "$folder/differences.md" "$page"
fi
