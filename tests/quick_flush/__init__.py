"""An app of the tests only: its command `flush` stands in for Django's after tests with transactions."""
