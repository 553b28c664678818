"""The numbered statements of Sections 1, 3 and 4, to the letter of the print, mistakes included.

The algorithms are the printed text as data for the linter; those that run are in `solvers`. `reads` and `assigns` of a
line hold (variable, shift): ("u", -1) is u_{t-1}. Matrices do not commute, so products stay in the printed order. The
three estimators are one formula with three inverses.
"""

from typing import Any

import sympy
from sympy import Integer, Max, Rational, log, sqrt

from ratecert.theory.language.letters import letter, letters
from ratecert.theory.language.statements import Algorithm, Condition, Estimate, Formula, Line, Text, Theorem

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
    sentence=(
        "Minimise over x the mean over K devices of f_k(x, y*(x)), where y*(x) minimises over y the mean over K "
        "devices of g_k(x, y). f_k and g_k are expectations over samples xi and zeta, distributed alike on all devices."
    ),
)

# Lemma 1 and the estimators of the hypergradient
grad_Phi, grad_x_f, grad_y_f = (letter(name, matrix=True) for name in ("grad_Phi", "grad_x_f", "grad_y_f"))
jacobian_g, hessian_g, H = (letter(name, matrix=True) for name in ("jacobian_g", "hessian_g", "H"))
hessian_g_sample = sympy.Function("hessian_g", commutative=False)
q, j = sympy.symbols("q j", integer=True)

_HYPERGRADIENT = grad_x_f - jacobian_g * H * grad_y_f

HYPERGRADIENT = (
    Formula(
        id="lemma-1",
        title="Hypergradient on one device, all devices alike",
        source="Section 3, Lemma 1",
        left=grad_Phi,
        right=_HYPERGRADIENT,
        where={H: hessian_g**-1},
        arguments=("x",),
        depends_on=("x",),
        note="every derivative at (x, y*(x))",
    ),
    Formula(
        id="estimator-tilde",
        title="Hypergradient without y*(x)",
        source="Section 3, below Lemma 1",
        left=grad_Phi,
        right=_HYPERGRADIENT,
        where={H: hessian_g**-1},
        arguments=("x",),
        depends_on=("x", "y"),
        note="every derivative at (x, y)",
    ),
    Formula(
        id="estimator-hat",
        title="Hypergradient without the inverse: Neumann sum of Q + 1 terms",
        source="Section 3, below Lemma 1",
        left=grad_Phi,
        right=_HYPERGRADIENT,
        where={H: theta * sympy.Sum((1 - theta * hessian_g) ** (q + 1), (q, -1, Q - 1))},
        arguments=("x", "y"),
        depends_on=("x", "y"),
        note="every derivative at (x, y); the printed product of q + 1 equal factors is the power",
    ),
    Formula(
        id="estimator-stochastic",
        title="Stochastic hypergradient: Neumann sum with Q fresh Hessians",
        source="Section 3, below Lemma 1",
        left=grad_Phi,
        right=_HYPERGRADIENT,
        where={
            H: theta
            * sympy.Sum(sympy.Product(1 - theta * hessian_g_sample(j), (j, Q - q, Q)), (q, -1, Q - 1))
        },
        arguments=("x", "y"),
        depends_on=("x", "y"),
        note="derivatives of f at the sample xi, the Jacobian at zeta, the j-th Hessian at zeta_j, all at (x, y)",
    ),
)

# Algorithms 1 and 2: what the printed lines read and assign, their updates, and what they sample
_HERE = (("x", 0), ("y", 0))
_BEFORE = (("x", -1), ("y", -1))
_DESCENT = (
    Line("x_{t+1} = x_t - rho_1 eta u_t", (("x", 0), ("u", 0)), (("x", 1),)),
    Line("y_{t+1} = y_t - rho_2 eta v_t", (("y", 0), ("v", 0)), (("y", 1),)),
)
_AVERAGE = tuple(
    Line(f"{name}_{{t+1}} = mean over devices of {name}_{{t+1}}", ((name, 1),), ((name, 1),), when="round")
    for name in "uvxy"
)
_CALL_XY = (("estimator-stochastic", ("x", "y")),)
_CALL_X = (("estimator-stochastic", ("x",)),)  # as printed in Algorithm 1's later iterations
_SAMPLES = Q + 3  # xi, the Jacobian's zeta, Q Hessians, the zeta of v

_FIRST = (
    Line("u_t = hypergradient sample at (x_t, y_t)", _HERE, (("u", 0),), when="first", calls=_CALL_XY),
    Line("v_t = gradient sample of g at (x_t, y_t)", _HERE, (("v", 0),), when="first"),
)

LOCAL_BSGM = Algorithm(
    id="algorithm-1",
    title="LocalBSGM",
    source="Section 4, Algorithm 1",
    hyperparameters=("p", "eta", "alpha", "beta", "rho_1", "rho_2", "theta", "Q"),
    requires="x_0 and y_0, the same on all devices; p > 1; eta, alpha, beta, rho_1, rho_2 > 0",
    starts_from=(("x", 0), ("y", 0)),
    lines=(
        *_FIRST,
        Line(
            "u_t = (1 - alpha eta) u_{t-1} + alpha eta hypergradient sample at x_t",
            (("u", -1), *_HERE),
            (("u", 0),),
            when="later",
            calls=_CALL_X,
        ),
        Line(
            "v_t = (1 - beta eta) v_{t-1} + beta eta gradient sample of g at (x_t, y_t)",
            (("v", -1), *_HERE),
            (("v", 0),),
            when="later",
        ),
        *_DESCENT,
        *_AVERAGE,
    ),
    updates={
        "u": (u, (1 - alpha * eta) * u + alpha * eta * h),
        "v": (v, (1 - beta * eta) * v + beta * eta * g_y),
        "x": (x, x - rho_1 * eta * u),
        "y": (y, y - rho_2 * eta * v),
    },
    estimates=(Estimate("u", alpha, G), Estimate("v", beta, sigma)),
    samples_first=_SAMPLES,
    samples_later=_SAMPLES,
)

LOCAL_BSGVRM = Algorithm(
    id="algorithm-2",
    title="LocalBSGVRM",
    source="Section 4, Algorithm 2",
    hyperparameters=("p", "eta", "alpha", "beta", "rho_1", "rho_2", "theta", "Q", "B"),
    requires=(
        "x_1 and y_1 = y*(x_1), the same on all devices; p > 1; alpha, beta, rho_1, rho_2 > 0; at t = 0 a batch B > 1"
    ),
    starts_from=(("x", 1), ("y", 1)),  # as printed; the loop starts at t = 0
    lines=(
        *_FIRST,
        Line(
            "u_t = (1 - alpha eta_{t-1}^2)(u_{t-1} - hypergradient sample at (x_{t-1}, y_{t-1})) + that at (x_t, y_t)",
            (("u", -1), *_BEFORE, *_HERE),
            (("u", 0),),
            when="later",
            calls=_CALL_XY,
        ),
        Line(
            "v_t = (1 - beta eta_{t-1}^2)(v_{t-1} - gradient sample of g at (x_{t-1}, y_{t-1})) + that at (x_t, y_t)",
            (("v", -1), *_BEFORE, *_HERE),
            (("v", 0),),
            when="later",
        ),
        *_DESCENT,
        *_AVERAGE,
    ),
    updates={
        "u": (u, (1 - alpha * eta**2) * (u - h_old) + h),
        "v": (v, (1 - beta * eta**2) * (v - g_y_old) + g_y),
        "x": (x, x - rho_1 * eta * u),
        "y": (y, y - rho_2 * eta * v),
    },
    estimates=(Estimate("u", alpha, G), Estimate("v", beta, sigma)),
    samples_first=B * _SAMPLES,
    samples_later=_SAMPLES,
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

MOMENTA = 4 * L_hat**2 / alpha**2 + 500 * L_1**2 * L_tilde**2 / (3 * beta**2 * mu**2)
_SMOOTH_1 = 2 * L_hat**2 + 500 * L_1**2 * L_tilde**2 / (3 * mu**2)
_STEPS_1 = rho_1**2 + rho_2**2

THEOREM_1 = Theorem(
    id="theorem-1",
    title="Convergence of LocalBSGM",
    source="Section 4.1, Theorem 1",
    algorithm="algorithm-1",
    **_COMMON,
    conditions={
        "alpha": Condition(alpha, ">", (Integer(0),)),
        "beta": Condition(beta, ">", (Integer(0),)),
        "theta": Condition(theta, "<", (1 / L_1,)),
        "rho_1": Condition(
            rho_1,
            "<=",
            (3 * rho_2 * mu**2 / (50 * L_1 * L_tilde), Rational(1, 4) / sqrt(MOMENTA)),
        ),
        "rho_2": Condition(
            rho_2,
            "<=",
            (
                6
                * L_tilde**2
                / mu
                / (4 * L_hat**2 / alpha**2 + 400 * L_1**2 * L_tilde**2 / (3 * beta**2 * mu**2)),
                1 / (6 * L_1),
            ),
        ),
        "eta": Condition(
            eta,
            "<",
            (
                1 / alpha,
                1 / beta,
                1 / (2 * rho_1 * L_Phi),
                1
                / (3 * p * (alpha**2 + beta**2) ** Rational(1, 4) * _STEPS_1 ** Rational(1, 4) * sqrt(L_hat)),
                Integer(1),
            ),
        ),
    },
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
    conditions={
        "theta": Condition(theta, "<", (1 / L_1,)),
        "alpha": Condition(alpha, "<=", (L_hat**2 / K,)),
        "beta": Condition(beta, "<=", (L_hat**2 / K,)),
        "eta": Condition(eta, "<=", (1 / sqrt(alpha), 1 / sqrt(beta), 1 / (200 * p * L_hat))),
        "rho_1": Condition(
            rho_1,
            "<=",
            (rho_2 * mu**2 / (20 * L_tilde * L_1), Rational(1, 2) / sqrt(_STEPS_2), Integer(10)),
        ),
        "rho_2": Condition(rho_2, "<=", (1 / (6 * L_1), 15 * L_tilde**2 / mu / _STEPS_2, Integer(10))),
    },
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
        "alpha": Condition(alpha, "=", (_weight,)),
        "beta": Condition(beta, "=", (_weight,)),
        "eta": Condition(eta, "=", (K**_two_thirds / L_hat / (w + t) ** _third,)),
        "w": Condition(
            w,
            "=",
            (
                Integer(2),
                200**3 * K**2 * p**3 - t,
                8 * rho_1**3 * L_Phi**3 * K**2 / L_hat**3 - t,
            ),
            of=Max,
        ),
        "rho_1": Condition(rho_1, "<=", (rho_2 * mu**2 / (60 * L_1**2), mu / (100 * L_tilde), Integer(10))),
        "rho_2": Condition(rho_2, "<=", (15 * mu / 1174, 1 / (6 * L_1), Integer(10))),
        "theta": Condition(theta, "<", (1 / L_1,)),
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
