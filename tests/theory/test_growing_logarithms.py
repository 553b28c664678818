"""Where logarithms grow: along rays on which T or 1/eps do, or any parameter where a cone has neither of them."""

import pytest

from ratecert.theory.orders.monomials import LOG, Cone, Monomial

K, T, eps = (Monomial.of(**{name: 1}) for name in ("K", "T", "eps"))


@pytest.mark.parametrize(
    "cone", [Cone.where(K), Cone.where(K, T / K), Cone.where(T), Cone.where(eps**-1)], ids=str
)
def test_a_logarithm_is_unbounded_where_all_parameters_grow(cone: Cone) -> None:
    """On a cone of K alone K is the only size that the logarithm could be of."""
    assert not cone.bounded(LOG)
    assert cone.vanishes(LOG**-1)


def test_a_logarithm_of_T_is_a_constant_where_K_grows_alone() -> None:
    """On K >= 1, T >= 1 one ray has T fixed: log T beside 1/T is bounded, and beside 1/K it is not."""
    cone = Cone.where(K, T)
    assert cone.bounded(LOG / T)
    assert not cone.bounded(LOG / K)
    assert not cone.bounded(LOG)
