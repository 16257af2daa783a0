"""What models are told: texts in files, filled from the schema's declaration of the attributes."""
