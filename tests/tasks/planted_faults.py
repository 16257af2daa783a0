"""A database fault planted at the n-th statement."""

from django.db import OperationalError


class Broken(OperationalError):
    """The planted fault."""


class BreakAt:
    """Lets n statements pass and breaks the next one; counts on."""

    def __init__(self, n):
        self.left = n
        self.hit = False

    def __call__(self, execute, sql, params, many, context):
        self.left -= 1
        if self.left < 0 and not self.hit:
            self.hit = True
            raise Broken("planted")
        return execute(sql, params, many, context)
