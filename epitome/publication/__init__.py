"""What a published dataset is made of: its card, its datasheet, its Croissant description, and the checks before it."""
