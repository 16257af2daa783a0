"""Fine-tuning of the systems that follow control attributes. No Django; torch is imported inside functions only."""
