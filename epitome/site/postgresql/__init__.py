"""Django's PostgreSQL backend with checked pool connections; named as ENGINE by epitome.site.environment."""
