"""Contrastive examples of gold summaries: making, importing, listing, excluding and exporting them."""
