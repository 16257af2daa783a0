"""Numbers that compare systems with references: CER, CC, ROUGE and those of the other protocols. No web code."""
