"""The command `epitome`. Every module imports what it needs when its command runs, so that `--help` is quick."""
