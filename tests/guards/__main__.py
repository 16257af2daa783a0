"""Print every place that breaks a rule; exit 1 when there is one."""

import sys

from tests.guards import find_faults
from tests.guards.checkout import Checkout

faults = find_faults(Checkout())
print("\n".join(faults) or "guards: nothing found")
sys.exit(1 if faults else 0)
