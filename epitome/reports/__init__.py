"""Tables and figures of a round of judging, from its answers. No web code, no database."""
