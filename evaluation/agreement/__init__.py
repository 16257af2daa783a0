"""Inter-rater agreement, corrected for chance, with intervals. No web code."""
