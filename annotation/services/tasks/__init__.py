"""The annotator's work: claim, draft, submit, skip, leases and what the task page needs."""
