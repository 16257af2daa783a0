"""What every feature of the services stands on: access, audit, errors, retries, prepared queries."""
