"""The numbered statements of Sections 1, 3 and 4, to the letter of the print, mistakes included.

The algorithms are the printed text as data for the linter; those that run are in `solvers`. `reads` and `assigns` of a
line hold (variable, shift): ("u", -1) is u_{t-1}. Matrices do not commute, so products stay in the printed order. The
three estimators are one formula with three inverses.
"""

from typing import Any

import sympy
from sympy import Max, Min, Rational, log, sqrt

from ratecert.theory.notation import letter, letters
from ratecert.theory.statements import Algorithm, Condition, Estimate, Formula, Line, Text, Theorem

K, T, p, eta, alpha, beta, rho_1, rho_2, theta, Q, B, t, w = letters(
    "K T p eta alpha beta rho_1 rho_2 theta Q B t w"
)
mu, L_1, sigma, L_Phi, L_hat, L_tilde, G, Delta_Q = letters("mu L_1 sigma L_Phi L_hat L_tilde G Delta_Q")
Phi_gap, y_gap = letters("Phi_gap y_gap")
x, y, u, v, h, g_y, h_old, g_y_old = letters("x y u v h g_y h_old g_y_old")

PROBLEM = Text(
    id="problem",
    title="Federated bilevel problem",
    source="Section 1, equation (1.1)",
    sentence="Minimise over x the mean over K devices of f_k(x, y*(x)), where y*(x) minimises over y the mean over K "
    "devices of g_k(x, y). f_k and g_k are expectations over samples xi and zeta, distributed alike on all devices.",
)

# Lemma 1 and the estimators of the hypergradient
grad_Phi, grad_x_f, grad_y_f = (letter(name, matrix=True) for name in ("grad_Phi", "grad_x_f", "grad_y_f"))
jacobian_g, hessian_g, H = (letter(name, matrix=True) for name in ("jacobian_g", "hessian_g", "H"))
hessian_g_sample = sympy.Function("hessian_g", commutative=False)
q, j = sympy.symbols("q j", integer=True)
_SAMPLED = sympy.Product(1 - theta * hessian_g_sample(j), (j, Q - q, Q))

_HYPERGRADIENT: dict[str, Any] = {"left": grad_Phi, "right": grad_x_f - jacobian_g * H * grad_y_f}
_ESTIMATOR = _HYPERGRADIENT | {"source": "Section 3, below Lemma 1", "depends_on": ("x", "y")}

HYPERGRADIENT = (
    Formula(
        id="lemma-1",
        title="Hypergradient on one device, all devices alike",
        source="Section 3, Lemma 1",
        where={H: hessian_g**-1},
        arguments=("x",),
        depends_on=("x",),
        note="every derivative at (x, y*(x))",
        **_HYPERGRADIENT,
    ),
    Formula(
        id="estimator-tilde",
        title="Hypergradient without y*(x)",
        where={H: hessian_g**-1},
        arguments=("x",),
        note="every derivative at (x, y)",
        **_ESTIMATOR,
    ),
    Formula(
        id="estimator-hat",
        title="Hypergradient without the inverse: Neumann sum of Q + 1 terms",
        where={H: theta * sympy.Sum((1 - theta * hessian_g) ** (q + 1), (q, -1, Q - 1))},
        arguments=("x", "y"),
        note="every derivative at (x, y); the printed product of q + 1 equal factors is the power",
        **_ESTIMATOR,
    ),
    Formula(
        id="estimator-stochastic",
        title="Stochastic hypergradient: Neumann sum with Q fresh Hessians",
        where={H: theta * sympy.Sum(_SAMPLED, (q, -1, Q - 1))},
        arguments=("x", "y"),
        note="derivatives of f at the sample xi, the Jacobian at zeta, the j-th Hessian at zeta_j, all at (x, y)",
        **_ESTIMATOR,
    ),
)

# Algorithms 1 and 2: what the printed lines read and assign, their updates, and what they sample
_HERE, _BEFORE = (("x", 0), ("y", 0)), (("x", -1), ("y", -1))
_CALL_XY = (("estimator-stochastic", ("x", "y")),)
_CALL_X = (("estimator-stochastic", ("x",)),)  # as printed in Algorithm 1's later iterations
_SAMPLES = Q + 3  # xi, the Jacobian's zeta, Q Hessians, the zeta of v
_STEPS = ("p", "eta", "alpha", "beta", "rho_1", "rho_2", "theta", "Q")


def _algorithm(u_t: str, v_t: str, calls: Any, reads: Any, new_u: Any, new_v: Any, **own: Any) -> Algorithm:
    """One that differs in how its later iterations make u_t and v_t."""
    average = "{0}_{{t+1}} = mean over devices of {0}_{{t+1}}"
    lines = (
        Line("u_t = hypergradient sample at (x_t, y_t)", _HERE, (("u", 0),), when="first", calls=_CALL_XY),
        Line("v_t = gradient sample of g at (x_t, y_t)", _HERE, (("v", 0),), when="first"),
        Line(u_t, (("u", -1), *reads), (("u", 0),), when="later", calls=calls),
        Line(v_t, (("v", -1), *reads), (("v", 0),), when="later"),
        Line("x_{t+1} = x_t - rho_1 eta u_t", (("x", 0), ("u", 0)), (("x", 1),)),
        Line("y_{t+1} = y_t - rho_2 eta v_t", (("y", 0), ("v", 0)), (("y", 1),)),
        *(Line(average.format(name), ((name, 1),), ((name, 1),), when="round") for name in "uvxy"),
    )
    updates = {"u": (u, new_u), "v": (v, new_v), "x": (x, x - rho_1 * eta * u), "y": (y, y - rho_2 * eta * v)}
    estimates = (Estimate("u", alpha, G), Estimate("v", beta, sigma))
    return Algorithm(lines=lines, updates=updates, estimates=estimates, samples_later=_SAMPLES, **own)


LOCAL_BSGM = _algorithm(
    "u_t = (1 - alpha eta) u_{t-1} + alpha eta hypergradient sample at x_t",
    "v_t = (1 - beta eta) v_{t-1} + beta eta gradient sample of g at (x_t, y_t)",
    calls=_CALL_X,
    reads=_HERE,
    new_u=(1 - alpha * eta) * u + alpha * eta * h,
    new_v=(1 - beta * eta) * v + beta * eta * g_y,
    id="algorithm-1",
    title="LocalBSGM",
    source="Section 4, Algorithm 1",
    hyperparameters=_STEPS,
    requires="x_0 and y_0, the same on all devices; p > 1; eta, alpha, beta, rho_1, rho_2 > 0",
    starts_from=_HERE,
    samples_first=_SAMPLES,
)

LOCAL_BSGVRM = _algorithm(
    "u_t = (1 - alpha eta_{t-1}^2)(u_{t-1} - hypergradient sample at (x_{t-1}, y_{t-1})) + that at (x_t, y_t)",
    "v_t = (1 - beta eta_{t-1}^2)(v_{t-1} - gradient sample of g at (x_{t-1}, y_{t-1})) + that at (x_t, y_t)",
    calls=_CALL_XY,
    reads=(*_BEFORE, *_HERE),
    new_u=(1 - alpha * eta**2) * (u - h_old) + h,
    new_v=(1 - beta * eta**2) * (v - g_y_old) + g_y,
    id="algorithm-2",
    title="LocalBSGVRM",
    source="Section 4, Algorithm 2",
    hyperparameters=(*_STEPS, "B"),
    requires="x_1 and y_1 = y*(x_1), the same on all devices; p > 1; alpha, beta, rho_1, rho_2 > 0; at t = 0 a batch "
    "B > 1",
    starts_from=(("x", 1), ("y", 1)),  # as printed; the loop starts at t = 0
    samples_first=B * _SAMPLES,
)

ALGORITHMS = (LOCAL_BSGM, LOCAL_BSGVRM)

# What all three theorems share: their assumptions, and the left side, averaged over t < T
_COMMON: dict[str, Any] = {
    "assumptions": ("assumption-1", "assumption-2", "assumption-3"),
    "measure": r"\frac{1}{T}\sum_{t=0}^{T-1}\Big(\mathbb{E}[\|\nabla\Phi(\bar{x}_t)\|^2]"
    r"+\tilde{L}^2\,\mathbb{E}[\|\bar{y}_t-y^*(\bar{x}_t)\|^2]\Big)",
    "measure_text": "1/T Σ_{t<T} ( E‖∇Φ(x̄_t)‖² + L̃² E‖ȳ_t - y*(x̄_t)‖² )",
    "measure_units": "f^2 x^-2",
}


def _where(*conditions: tuple[Any, ...], of: type = Min) -> dict[str, Condition]:
    """(letter, relation, clauses); where there are several, the smallest of them is meant."""
    return {str(left): Condition(left, sign, tuple(clauses), of=of) for left, sign, *clauses in conditions}


MOMENTA = 4 * L_hat**2 / alpha**2 + 500 * L_1**2 * L_tilde**2 / (3 * beta**2 * mu**2)
_SMOOTH_1 = 2 * L_hat**2 + 500 * L_1**2 * L_tilde**2 / (3 * mu**2)
_STEPS_1 = rho_1**2 + rho_2**2
_MOMENTA_400 = 4 * L_hat**2 / alpha**2 + 400 * L_1**2 * L_tilde**2 / (3 * beta**2 * mu**2)
_DRIFT_1 = 3 * p * (alpha**2 + beta**2) ** Rational(1, 4) * _STEPS_1 ** Rational(1, 4) * sqrt(L_hat)

THEOREM_1 = Theorem(
    id="theorem-1",
    title="Convergence of LocalBSGM",
    source="Section 4.1, Theorem 1",
    algorithm="algorithm-1",
    **_COMMON,
    conditions=_where(
        (alpha, ">", 0),
        (beta, ">", 0),
        (theta, "<", 1 / L_1),
        (rho_1, "<=", 3 * rho_2 * mu**2 / (50 * L_1 * L_tilde), Rational(1, 4) / sqrt(MOMENTA)),
        (rho_2, "<=", 6 * L_tilde**2 / mu / _MOMENTA_400, 1 / (6 * L_1)),
        (eta, "<", 1 / alpha, 1 / beta, 1 / (2 * rho_1 * L_Phi), 1 / _DRIFT_1, 1),
    ),
    terms={
        "start_x": 2 * Phi_gap / (eta * rho_1 * T),
        "start_y": 20 * L_tilde**2 / (eta * T * rho_2 * mu) * y_gap**2,
        "start_u": 4 * G**2 / (alpha * eta * T),
        "start_v": 500 * L_tilde**2 * sigma**2 / (3 * eta * T * beta * mu**2),
        "noise_u": 4 * alpha * eta * sigma**2 / K,
        "noise_v": 500 * beta * eta * sigma**2 * L_tilde**2 / (3 * K * mu**2),
        "bias": 4 * Delta_Q**2,
        "drift_p4_u": 48 * alpha**2 * eta**4 * p**4 * _STEPS_1 * _SMOOTH_1 * G**2,
        "drift_p4_v": 48 * beta**2 * p**4 * eta**4 * _STEPS_1 * _SMOOTH_1 * sigma**2,
        "drift_p2_u": 48 * alpha**2 * p**2 * eta**2 * _STEPS_1 * MOMENTA * G**2,
        "drift_p2_v": 48 * beta**2 * p**2 * eta**2 * _STEPS_1 * MOMENTA * sigma**2,
    },
)

_MOMENTA_2 = 16 * L_hat**2 / (alpha * K) + 2000 * L_1**2 * L_tilde**2 / (3 * beta * mu**2 * K)
_DRIFT_2 = 4 + 1000 * L_tilde**2 / (3 * mu**2) + _MOMENTA_2
_STEPS_2 = _MOMENTA_2 + Rational(12, 25) * _DRIFT_2

THEOREM_2 = Theorem(
    id="theorem-2",
    title="Convergence of LocalBSGVRM, constant step",
    source="Section 4.2, Theorem 2",
    algorithm="algorithm-2",
    **_COMMON,
    conditions=_where(
        (theta, "<", 1 / L_1),
        (alpha, "<=", L_hat**2 / K),
        (beta, "<=", L_hat**2 / K),
        (eta, "<=", 1 / sqrt(alpha), 1 / sqrt(beta), 1 / (200 * p * L_hat)),
        (rho_1, "<=", rho_2 * mu**2 / (20 * L_tilde * L_1), Rational(1, 2) / sqrt(_STEPS_2), 10),
        (rho_2, "<=", 1 / (6 * L_1), 15 * L_tilde**2 / mu / _STEPS_2, 10),
    ),
    terms={
        "start_x": 2 * Phi_gap / (eta * rho_1 * T),
        "start_y": 10 * L_tilde**2 / (rho_2 * mu * eta * T) * y_gap**2,
        "start_u": 2 * G**2 / (alpha * eta**2 * T * K * B),
        "start_v": 250 * L_tilde**2 * sigma**2 / (3 * beta * mu**2 * eta**2 * T * K * B),
        "bias": 4 * Delta_Q**2,
        "noise_u": 8 * alpha * eta**2 * G**2 / K,
        "noise_v": 1000 * beta * eta**2 * sigma**2 * L_tilde**2 / (3 * mu**2 * K),
        "drift": (rho_1**2 + rho_2**2)
        * _DRIFT_2
        * (48 * beta**2 * p**2 * eta**4 * sigma**2 + 48 * alpha**2 * p**2 * eta**4 * G**2),
    },
)

_third, _two_thirds = Rational(1, 3), Rational(2, 3)
_weight = L_hat**2 / (3 * p * K**2) + L_hat**2 / K
_time = 200 * p / T + 1 / (K**_two_thirds * T**_two_thirds)
_time_L_hat = 200 * p * L_hat / T + L_hat / (K**_two_thirds * T**_two_thirds)

THEOREM_3 = Theorem(
    id="theorem-3",
    title="Convergence of LocalBSGVRM, decaying step",
    source="Section 4.2, Theorem 3",
    algorithm="algorithm-2",
    **_COMMON,
    conditions={
        **_where(
            (alpha, "=", _weight),
            (beta, "=", _weight),
            (eta, "=", K**_two_thirds / L_hat / (w + t) ** _third),
        ),
        **_where(
            (w, "=", 2, 200**3 * K**2 * p**3 - t, 8 * rho_1**3 * L_Phi**3 * K**2 / L_hat**3 - t), of=Max
        ),
        **_where(
            (rho_1, "<=", rho_2 * mu**2 / (60 * L_1**2), mu / (100 * L_tilde), 10),
            (rho_2, "<=", 15 * mu / 1174, 1 / (6 * L_1), 10),
            (theta, "<", 1 / L_1),
        ),
    },
    terms={
        "start_x": 2 * Phi_gap / rho_1 * _time_L_hat,
        "start_y": _time_L_hat * 20 * L_tilde**2 / (rho_2 * mu) * y_gap**2,
        "start_u": _time * 800 * p * G**2 / B,
        "start_v": _time * 200000 * p * sigma**2 * L_tilde**2 / (3 * mu**2 * B),
        "noise_u": _time * 32 * sigma**2 * log(T + 1),
        "noise_v": _time * 4000 * sigma**2 * L_tilde**2 / (3 * mu**2) * log(T + 1),
        "bias": (4 * 200**3 * K**2 * p**3 / T + 4) * Delta_Q**2 * log(T + 1),
        "drift": _time * 3 * (rho_1**2 + rho_2**2) * L_tilde**2 * (sigma**2 + G**2) / mu**2 * log(T + 1),
    },
)

THEOREMS = (THEOREM_1, THEOREM_2, THEOREM_3)
