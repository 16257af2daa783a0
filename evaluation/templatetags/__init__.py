"""Template filters of rounds."""
