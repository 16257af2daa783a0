"""How many examples each rule gives."""

import pytest

from epitome.contrastives import RULES, Shares, count_shares, parse_rules, set_quotas
from epitome.contrastives.quotas import split_noun_quota
from epitome.metrics.contrastive_scores import RULES as REPORTED_RULES


def test_the_rules_are_those_of_the_report():
    assert RULES == REPORTED_RULES


def test_fifty_are_shared_out_by_the_published_numbers():
    quotas = set_quotas(50)
    assert sum(quotas.values()) == 50
    assert list(quotas.values()) == [16, 2, 5, 2, 15, 2, 5, 3]


@pytest.mark.parametrize("per_gold", [*range(12), 51, 99, 400])
def test_quotas_add_up_and_are_never_negative(per_gold):
    even = Shares(dict.fromkeys("NPVA", 0.25), {"N": 0.0, "P": 0.5, "V": 0.5, "A": 0.0})
    for shares in (None, even):
        quotas = set_quotas(per_gold, shares)
        assert sum(quotas.values()) == per_gold and min(quotas.values()) >= 0


def test_shares_are_those_of_what_is_available():
    available = {"G-N": 6, "G-V": 2, "G-A": 2, "S-N": 3, "S-P": 1}
    shares = count_shares(available)
    assert shares.gold == {"N": 0.6, "P": 0, "V": 0.2, "A": 0.2}
    assert shares.source == {"N": 0.75, "P": 0.25, "V": 0, "A": 0}
    with pytest.raises(ValueError, match="take a word of the source"):
        count_shares({"G-N": 1})


def test_common_and_proper_nouns_share_by_their_pairs_rounded_up_for_the_larger():
    assert split_noun_quota(16, 30, 10) == (12, 4)
    assert split_noun_quota(16, 10, 31) == (3, 13)
    assert split_noun_quota(16, 10, 10) == (8, 8)
    assert split_noun_quota(16, 7, 4) == (7, 4)
    assert split_noun_quota(5, 100, 1) == (5, 0)
    assert split_noun_quota(16, 0, 0) == (0, 0)


def test_rules_are_read_in_any_order_and_case():
    assert parse_rules(["s-n", " G-P"]) == ("G-P", "S-N")
    assert parse_rules([]) == RULES
    with pytest.raises(ValueError, match="'X-N' is no rule"):
        parse_rules(["X-N"])
