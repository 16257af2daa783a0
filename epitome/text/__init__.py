"""Tokens, sentences, segments and the spaCy pipeline. No web code, no heavy imports at the top."""
