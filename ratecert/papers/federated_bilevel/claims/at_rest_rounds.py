"""What local steps (p, tau > 1) add: they move where a method rests by an amount of order dial^2.

It tends to zero with the steps, with the power IN_STEP below. FedNest's corrections put it exactly where
tau = 1 does. How far p local steps before an average move x at rest, as the steps go to zero:

F_k(z) = J_k z - i_k are what device k follows with the series not cut: the hypergradient estimate, grad_y g_k and,
where r is a variable, A_k r - D(y - b). z_1 is where the mean Fbar is zero: the place of p = 1. R are the steps of the
variables and W the weights of their momenta, in units of eta. As p eta -> 0 x moves by the x of d,

    a momentum that averages (LocalBSGM)                      Jbar d = (p^2 - 1)/6 eta^2 s       s = mean of J_k R W F_k
    STORM that keeps each device's previous point             Jbar d = (p^2 - 1)/6 eta^3 s
    STORM with momenta averaged at their new points           Jbar d = (p - 1)/2 eta W^{-1} s
    no momentum (LocalSGD)                                    Jbar d = (p - 1)/2 eta (mean of J_k R F_k)
    LFedNest                                                  Jbar d = (tau - 1)/2 beta/tau (0, mean of A_k grad_y g_k)
    FedNest                                                   d = 0, whatever the steps and the dial

all at z_1. The first three are those of solvers/engines/fixed_point.py. LocalSGD: after j steps a device is off by
-j eta R F_k, and the mean of J_k times that over j < p has to be balanced. LFedNest: x is fixed while y moves and y is
while x moves. The x_k see the common P alone, so their mean moves as one device would; the y_k see A_k each, with steps
beta/tau. FedNest: if the mean gradient q is zero its corrected local steps move no y_k. If not, tau of them move the
mean of the y_k by -C q,

    C = (1/K) sum_k beta/tau sum_{j < tau} (I - beta/tau A_k)^j,

which is positive definite for beta/tau ||A_k|| < 1. So q = 0 at rest, and in the same way h = 0, as with tau = 1.

FedBiOAcc leaves y_k and w_k with the devices, and has another law. Its x_k end a round off their mean by
-p (p - 1)/2 lam c_nu eta^3 h_k. The average takes that from x_k and not from w_k: the error w_k - grad_y g_k jumps by
-B_k times it, and loses only p c_w eta^2 of itself in a round. So it is B_k h_k lam c_nu/c_w (p - 1)/2 eta, and y_k
rests off y_k*(x) by -A_k^{-1} times that. With S_k = A_k^{-1}B_k, x makes up for it by

    (P + mean of S_k'D S_k) d = (p - 1)/2 eta lam c_nu/c_w (mean of S_k'D S_k h_k).

All means are of products of things whose means are zero (F_k, or h_k alone) with things that differ by the dial: every
law is of order dial^2.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import UserError
from ratecert.claims import Budget, Check, Claim, Json, Piece, Row, Rows
from ratecert.claims.checks import equal, exponent
from ratecert.papers.federated_bilevel.claims.at_rest import AT_REST, EXACT, EXPONENT, LARGE, OUTSIDE, where
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import METHODS, solver_of
from ratecert.papers.federated_bilevel.evidence.at_rest.places import X_OWN
from ratecert.papers.federated_bilevel.evidence.at_rest.resting import THREE, TWO, WORLDS, world_at
from ratecert.solvers import (
    FedBiOAcc,
    FedBiOAccGlobal,
    FedNest,
    LFedNest,
    LocalBSGM,
    LocalBSGVRM,
    LocalSGD,
    fixed_point,
    name_of,
)

Array = NDArray[np.float64]
SHORT, TINY, TINY_DIALS = 3, 1e-6, [1e-5, 2e-5]  # p, step and dials of the laws
LAW = 1e-3  # relative; the laws are those of vanishing steps, here 1e-6
DIGITS = 1e-40  # what is left of 50 digits where nothing moves

IN_STEP = {
    "LocalBSGM": 2,
    "LocalBSGVRM": 3,
    "LocalBSGVRM, averaged": 1,
    "LocalBSGVRM, fresh": 1,
    "LocalSGD": 1,
    "LFedNest": 1,
    "FedBiOAcc": 1,
    "FedBiOAccGlobal": 1,
}
"""The power of the step in what local steps add; FedNest is not here because they add nothing."""


def law(world: Any, solver: Any) -> Array:
    """d_x of the solver's own p, or tau, with a series long enough not to matter."""
    match solver:
        case LFedNest():
            return _of_light_fednest(world, solver)
        case FedNest():
            return np.zeros(world.d_x)
        case FedBiOAcc():
            return _of_own_lower_levels(world, solver)
        case FedBiOAccGlobal():
            J, F = _through_r(world)
            R = (solver.lam, solver.gamma, solver.tau)
            return _of_storm(world, J, F, R, (solver.c_nu, solver.c_w, solver.c_q), solver)
        case LocalSGD():
            return _of_storm(world, *_own_inverses(world), (solver.rho_1, solver.rho_2), (1.0, 1.0), solver)
        case LocalBSGM() | LocalBSGVRM():
            return _of_the_paper(world, solver)
    raise UserError(f"there is no law for {type(solver).__name__}; add its own to claims/at_rest_rounds.py.")


def _of_the_paper(world: Any, solver: Any) -> Array:
    J, F = _own_inverses(world)
    R, W = (solver.rho_1, solver.rho_2), (solver.alpha, solver.beta)
    if isinstance(solver, LocalBSGVRM) and (solver.momenta == "fresh" or solver.previous == "averaged"):
        return _of_storm(world, J, F, R, W, solver)
    eta, s = solver.step_size(0), _pull(J, F, _each(world, R) * _each(world, W))
    return _x(world, J, (solver.p**2 - 1) / 6 * eta ** (1 + solver.weight_power) * s)


def _of_storm(
    world: Any, J: list[Array], F: list[Array], R: Sequence[float], W: Sequence[float], solver: Any
) -> Array:
    """With W = 1 that of no momentum, too."""
    weight = _each(world, W)
    s = _pull(J, F, _each(world, R) * weight)
    return _x(world, J, (solver.p - 1) / 2 * solver.step_size(0) * s / weight)


def _of_light_fednest(world: Any, solver: Any) -> Array:
    J, F = _own_inverses(world)
    lower = np.mean([d.A @ f[world.d_x :] for d, f in zip(world.devices, F, strict=True)], axis=0)
    factor = (solver.tau - 1) / 2 * solver.beta / solver.tau
    return _x(world, J, factor * np.concatenate([np.zeros(world.d_x), lower]))


def _of_own_lower_levels(world: Any, solver: Any) -> Array:
    x = X_OWN.at(world)
    factor = (solver.p - 1) / 2 * solver.step_size(0) * solver.lam * solver.c_nu / solver.c_w
    slopes = [np.linalg.solve(d.A, d.B) for d in world.devices]
    curved = [S.T @ world.D @ S for S in slopes]
    pull = [H @ d.hypergradient(x) for H, d in zip(curved, world.devices, strict=True)]
    return np.asarray(np.linalg.solve(world.P + np.mean(curved, axis=0), factor * np.mean(pull, axis=0)))


def _own_inverses(world: Any) -> tuple[list[Array], list[Array]]:
    """J_k and F_k(z_1) of (x, y) where devices take their own inverses."""
    J, inhomogeneous = [], []
    for d in world.devices:
        back = np.linalg.solve(d.A, d.B).T @ world.D
        J.append(np.block([[world.P, back], [-d.B, d.A]]))
        inhomogeneous.append(np.concatenate([world.P @ world.a + back @ world.b, d.c]))
    return J, _at_rest(J, inhomogeneous)


def _through_r(world: Any) -> tuple[list[Array], list[Array]]:
    """J_k and F_k(z_1) of (x, y, r)."""
    across, square = np.zeros((world.d_x, world.d_y)), np.zeros((world.d_y, world.d_y))
    J, inhomogeneous = [], []
    for d in world.devices:
        J.append(np.block([[world.P, across, d.B.T], [-d.B, d.A, square], [across.T, -world.D, d.A]]))
        inhomogeneous.append(np.concatenate([world.P @ world.a, d.c, -world.D @ world.b]))
    return J, _at_rest(J, inhomogeneous)


def _at_rest(J: list[Array], inhomogeneous: list[Array]) -> list[Array]:
    z = np.linalg.solve(np.mean(J, axis=0), np.mean(inhomogeneous, axis=0))
    return [J_k @ z - i_k for J_k, i_k in zip(J, inhomogeneous, strict=True)]


def _pull(J: list[Array], F: list[Array], weights: Array) -> Array:
    return np.asarray(np.mean([J_k @ (weights * F_k) for J_k, F_k in zip(J, F, strict=True)], axis=0))


def _each(world: Any, factors: Sequence[float]) -> Array:
    """One factor per coordinate of x, y and, if there is a third, r."""
    return np.repeat(factors, [world.d_x, *[world.d_y] * (len(factors) - 1)])


def _x(world: Any, J: list[Array], right: Array) -> Array:
    return np.asarray(np.linalg.solve(np.mean(J, axis=0), right))[: world.d_x]


def moved(method: str, world: str, dials: list[float], p: int) -> list[Json]:
    """How far rounds of p steps move x at rest, in the direction of the law, per dial; the last dial at two steps."""
    spec, rows = WORLDS[world], []
    for dial, step in [*((dial, TINY) for dial in dials), (dials[-1], 2 * TINY)]:
        solver = solver_of(method, p=p, step=step, theta=spec["theta"], terms=spec["terms"])
        problem = world_at(spec, dial)
        (found,), (predicted,) = fixed_point(problem, solver).excess_x, law(problem, solver)
        along = float(found) * math.copysign(1.0, predicted)
        row = {"name": name_of(solver), "K": spec["K"], "dial": dial, "step": step}
        rows.append({**row, "moved": along, "law": abs(float(predicted))})
    return rows


def pieces(budget: Budget) -> list[Piece]:
    dials, worlds = [*TINY_DIALS, LARGE], [THREE] if budget.quick else [THREE, TWO]
    common = {"dials": dials, "p": SHORT}
    found = [Piece(moved, {"method": m, "world": w, **common}, 1.0) for w in worlds for m in IN_STEP]
    return [*found, Piece(moved, {"method": "FedNest", "world": THREE, **common, "dials": [LARGE]}, 2.0)]


def checks(rows: Rows) -> Iterator[Check]:
    for (method, _), here in rows.by("method", "world"):
        name = where(here)
        if method not in IN_STEP:
            farthest = max(map(abs, here.column("moved")))
            yield equal(f"what local steps add, {name}", farthest, 0.0, DIGITS)
            continue
        in_dial, in_step = (
            f"exponent in the dial of what local steps add, {name}",
            f"exponent in the steps, {name}",
        )
        yield exponent(in_dial, here[:2], "moved", "dial", 2, EXPONENT, error=EXACT)
        yield exponent(in_step, here.last(2), "moved", "step", IN_STEP[method], EXPONENT, error=EXACT)
        gap = abs(here[-2]["moved"] / here[-2]["law"] - 1)
        yield equal(f"gap to the law, relative to it, {name}", gap, 0.0, LAW, EXACT)


def table(rows: Rows) -> Iterator[Row]:
    for row in rows.where(step=TINY):
        reading = METHODS[row["method"]].reading
        yield {
            "method": row["name"],
            "reading": reading,
            **{name: row[name] for name in ("K", "dial", "moved")},
        }


CLAIMS = (
    Claim(
        id="at-rest.rounds",
        sentence="Local steps move where every federated method rests, except FedNest, by an amount of order dial^2 "
        "that vanishes with the steps.",
        pieces=pieces,
        checks=checks,
        regime=f"{OUTSIDE}; p = tau = {SHORT}, steps of order {TINY:g}",
        settings={
            "worlds": [WORLDS[THREE], WORLDS[TWO]],
            "dials": [*TINY_DIALS, LARGE],
            "p": SHORT,
            "step": TINY,
        },
        notes=[
            "FedNest's local steps follow its mean gradient with a correction, and at rest both are zero on every "
            "device: tau does not move it, at any dial or step.",
            "The x of LFedNest (reconstructed) needs no correction on these worlds, as all devices share P; what moves "
            "it are its local steps on y.",
        ],
        table=table,
        **AT_REST,
    ),
)
