"""How far raters agree, beyond chance, with intervals. No web code."""
