"""Sources: importing, checking, storing and publishing files; references, splits, selection."""
