"""Student's t against scipy."""

import pytest
from scipy.stats import t as scipy_t

from epitome.agreement.student import quantile


@pytest.mark.parametrize("share", [0.55, 0.9, 0.975, 0.995, 0.9995])
@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 10, 29, 93, 500, 999, 1000, 5000])
def test_quantiles_are_scipys(share, freedom):
    assert quantile(share, freedom) == pytest.approx(scipy_t.ppf(share, freedom), rel=1e-9)


@pytest.mark.parametrize(("share", "freedom"), [(0.5, 3), (1.0, 3), (0.9, 0)])
def test_what_has_no_quantile_is_refused(share, freedom):
    with pytest.raises(ValueError, match="degree of freedom"):
        quantile(share, freedom)
