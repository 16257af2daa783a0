"""The metrics on plain texts and labels, one module per paper's protocol."""
