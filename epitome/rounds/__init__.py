"""The design of a round of human evaluation as data: configuration, selection, order, cost. No Django."""
