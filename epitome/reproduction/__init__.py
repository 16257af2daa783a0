"""Tables of the papers from beginning to end: train or reuse, predict, measure, print beside the paper."""
