"""Practice with feedback: its items, the tries at them, and who may go on."""
