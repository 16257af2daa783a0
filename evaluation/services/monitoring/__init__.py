"""Running rounds as staff follow and control them."""
