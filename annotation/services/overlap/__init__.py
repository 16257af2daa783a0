"""Several summaries of one sample: marking and comparing them."""
