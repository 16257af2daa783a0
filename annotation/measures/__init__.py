"""What a summary measures for each control attribute, f_r. No web code, no heavy imports at the top."""
