"""Algorithms 1 and 2 (Section 4): what the printed lines read and assign, their updates, and what they sample.

The algorithms that run are in `solvers`; this is the printed text as data for the linter. `reads` and `assigns` hold
(variable, shift): ("u", -1) is u_{t-1}.
"""

from ratecert.theory.language.letters import letters
from ratecert.theory.language.statements import Algorithm, Estimate, Line

eta, alpha, beta, rho_1, rho_2, Q, B = letters("eta alpha beta rho_1 rho_2 Q B")
sigma, G = letters("sigma G")
x, y, u, v, h, g_y, h_old, g_y_old = letters("x y u v h g_y h_old g_y_old")

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
