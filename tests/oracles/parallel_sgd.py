"""The packaged paper on parallel SGD, a sound statement, with two constants that it defines.

Phi = f + lambda/2 ||x||^2 has L = L_f + lambda; the noise of the data and that of a quantised message are independent,
so their variances add. There is nothing here for a linter to find.
"""

from dataclasses import replace

from ratecert.catalogue.find import paper
from ratecert.theory.notation import Symbol, letters, table
from ratecert.theory.paper import by_id
from ratecert.theory.statements import Assumption, Corollary, Counts, Definition, Theorem

K, T, eta, L, L_f, lam, sigma, sigma_f, sigma_q, eps = letters("K T eta L L_f lam sigma sigma_f sigma_q eps")

PRINTED = paper(key="parallel-sgd")
SMOOTH, NOISE = (PRINTED.the(Assumption, id) for id in ("sgd-smooth", "sgd-noise"))
SGD, DESCENT = PRINTED["sgd"], PRINTED.the(Theorem, "sgd-descent")
IN_T, IN_EPS = (PRINTED.the(Corollary, id) for id in ("sgd-rate", "sgd-accuracy"))
COSTS = PRINTED.the(Counts, "sgd-costs")
NOTATION = {**PRINTED.notation} | table(
    Symbol("L_f", "L_f", "smoothness of f", units="f x^-2"),
    Symbol("lam", r"\lambda", "weight of the regulariser", units="f x^-2"),
    Symbol("sigma_f", r"\sigma_f", "standard deviation of the gradient of f", units="f x^-1"),
    Symbol("sigma_q", r"\sigma_q", "standard deviation of the quantiser", units="f x^-1"),
)
DEFINITIONS = (
    Definition(id="L", title="Phi is L-smooth", source="above", left=L, right=L_f + lam),
    Definition(
        id="sigma",
        title="variance of a message",
        source="above",
        left=sigma**2,
        right=sigma_f**2 + sigma_q**2,
    ),
)
ASSUMPTIONS = (replace(SMOOTH, constants={"L_f": 0.0}), replace(NOISE, constants={"sigma_f": 0.0}))

PARALLEL_SGD = replace(
    PRINTED, notation=NOTATION, statements=by_id(*ASSUMPTIONS, *DEFINITIONS, SGD, DESCENT, IN_T, IN_EPS)
)
COUNTED = replace(PARALLEL_SGD, statements={**PARALLEL_SGD.statements, COSTS.id: COSTS})
