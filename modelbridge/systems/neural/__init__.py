"""What all systems with weights share. torch and transformers are imported inside functions only."""
