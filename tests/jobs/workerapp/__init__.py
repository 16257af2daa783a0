"""An app with one kind of job, for tests that start a real worker process."""
