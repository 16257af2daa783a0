"""What every feature of the services builds on: access, audit, errors, retries, prepared queries."""
