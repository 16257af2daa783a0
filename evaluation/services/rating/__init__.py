"""Rating: the rater's items and answers, and model judges."""
