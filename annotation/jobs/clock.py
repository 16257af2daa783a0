"""The clock used to set and compare leases."""

from datetime import datetime

from django.db import connection
from django.utils import timezone


def database_now() -> datetime:
    """The database's clock, so that workers whose clocks differ agree on leases."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        row = cursor.fetchone()
    now: datetime = row[0]
    return now
