"""What an operator's tools ask for: readiness, and figures of jobs, leases and workers."""
