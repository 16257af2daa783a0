"""The pilot: its samples, its candidates and the decisions about them."""
