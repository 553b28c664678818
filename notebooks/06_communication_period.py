# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 6. The communication period: why quadratics forgive, what heterogeneity costs
#
# Devices take $p$ local steps, then average. Fewer averages save communication; what do they cost? At the end
# you will know that on quadratic devices that are alike the answer can be *nothing at all, for every $p$*,
# which noise breaks this spell, and by how little. Then the devices will differ, by an amount that a dial
# sets, and you will meet two separate costs, both of order dial$^2$: one that is there even if devices
# average after every step, and one that grows with $p$. Where rounds come to rest is computed in 50 digits,
# because some of these effects are as small as $10^{-14}$.

# %%
from dataclasses import fields, replace

import matplotlib.pyplot as plt
import numpy as np

import ratecert as rc
from ratecert import expect, fit_slope, fixed_point, stationary
from ratecert.methods import FedNest, LocalBSGM, LocalBSGVRM
from ratecert.worlds import Heterogeneous, Quadratic, heterogeneous, scalar

# %matplotlib inline
plt.rcParams.update(rc.style.STYLE)
COLOURS = rc.style.COLOURS

# %% [markdown]
# ## Devices alike: averages commute with steps
#
# Let all devices have the same quadratic problem, and let the noise be additive. A local step is then one
# affine map, the same on every device, plus noise that does not know the state:
#
# $$s_k \mapsto M s_k + c + n_k \qquad\Longrightarrow\qquad \bar s \mapsto M\bar s + c + \bar n .$$
#
# The mean of the states obeys a recursion of its own, in which no average occurs. So
# $E\|\nabla\Phi(\bar x_t)\|^2$ must be the same for every $p$. What changes is how far the devices scatter
# around their mean, the drift.

# %%
FORMS = {"mu": 1.0, "L_1": 2.0, "a": 0.5, "b": -0.2, "c": 0.3, "s_f": 0.5, "s_g": 0.5}
alike = scalar(**FORMS)
steps = {"eta": 0.05, "alpha": 1.0, "beta": 1.0, "rho_1": 0.1, "rho_2": 0.3, "theta": 0.4, "Q": 40}
periods = [1, 16, 256, 100_000]  # the last one is T: a single round

runs = [expect(alike, LocalBSGM(**steps, p=p), K=8, T=100_000, x0=[1.0], y0=[0.0], times=[]) for p in periods]
for p, run in zip(periods, runs, strict=True):
    print(f"p = {p:6d}   measure {run.gradient:.15g}   drift of x {run.drift_x:.3g}")

# %% [markdown]
# Twelve digits agree. This is worth remembering when a plot of an experiment "shows that $p$ does no harm":
# on such a problem it could not have shown anything else.
#
# ## How devices drift
#
# Within a round independent noise adds up. A momentum performs a random walk, of variance $\propto j$ after
# $j$ steps; $x$ sums it up, variance $\propto j^3$. So short rounds ($p\,\alpha\eta \ll 1$) have a drift
# $\propto p^3$, one power of $p$ less than the $p^4$ in Theorem 1, which uses the size of the samples and not
# their independence.

# %%
small = {**steps, "eta": 1e-7, "rho_1": 0.1, "rho_2": 0.1, "Q": 60}
short = [256, 1024, 4096]
drift = fit_slope(short, [stationary(alike, LocalBSGM(**small, p=p), K=4).drift_x for p in short])
print("drift of x: exponent of p", drift)

# %% [markdown]
# ## What breaks the spell: noise that multiplies
#
# If Hessians are noisy ($\sigma_H > 0$) a step is $M_k s_k + \dots$ with a random $M_k$, and averages no
# longer commute with steps: the noise of a sample grows with the device's own $y_k$, so the mean gains what
# the $y_k$ scatter. At rest the measure of LocalBSGM rises by a fixed multiple of the drift of $y$, the same
# multiple for every $p$. And it is a small one.

# %%
noisy = scalar(**FORMS, sigma_H=0.2)
base, *limits = (stationary(noisy, LocalBSGM(**steps, p=p), K=8) for p in (1, 8, 64, 512))
kappa = [(limit.gradient - base.gradient) / limit.drift_y for limit in limits]
for p, limit, factor in zip((8, 64, 512), limits, kappa, strict=True):
    rise = limit.gradient / base.gradient - 1
    print(f"p = {p:3d}   relative rise {rise:.2e}   rise/drift {factor:.9e}")

# %% [markdown]
# ## Devices that differ
#
# `heterogeneous` gives each device a lower level of its own around a common mean,
#
# $$A_k = A + \mathrm{dial}\; dA_k,\quad B_k = B + \mathrm{dial}\; dB_k,\quad c_k = c + \mathrm{dial}\; dc_k,$$
#
# with $\sum_k dA_k = \sum_k dB_k = \sum_k dc_k = 0$: the mean problem and its solution $x^*$ do not depend on
# the dial. Switch all noise off and average after **every** step, $p = 1$. Where does LocalBSGM come to rest?

# %%
dials = [1e-4, 2e-4, 4e-4]
gentle = {"eta": 0.01, "alpha": 8.0, "beta": 4.0, "rho_1": 0.005, "rho_2": 0.3, "theta": 0.5, "Q": 60}


def three(dial):
    return heterogeneous(d_x=1, d_y=1, K=3, dial=dial, seed=3)


rests = [fixed_point(three(dial), LocalBSGM(**gentle, p=1)) for dial in dials]
off = [float(abs(rest.x - three(dial).x_star)[0]) for dial, rest in zip(dials, rests, strict=True)]
for dial, distance in zip(dials, off, strict=True):
    print(f"dial = {dial:.0e}: |x - x*| = {distance:.4e}")
print("exponent of the dial", fit_slope(dials, off))

# %% [markdown]
# Not at $x^*$. Lemma 1 asks for the inverse of the **mean** Hessian, and a device knows its own only. The
# mean of the $A_k^{-1}B_k$ is not $A^{-1}B$; what is linear in the dial has mean zero, so the difference is
# of order dial$^2$. The world knows that point in closed form, `x_local`, the zero of
# $\nabla\Phi + \text{bias}$. A method that averages every Hessian-vector product, such as FedNest, inverts
# the mean and does come to rest at $x^*$; it pays with a round for every product.

# %%
world = three(0.1)
ours = fixed_point(world, LocalBSGM(**gentle, p=1)).x
theirs = fixed_point(world, FedNest(alpha=0.02, beta=0.2, tau=1, T_in=1, theta=0.95, N=12)).x
print(
    f"LocalBSGM   x - x* = {(ours - world.x_star)[0]:+.1e}   x - x_local = {(ours - world.x_local)[0]:+.1e}"
)
print(f"FedNest     x - x* = {(theirs - world.x_star)[0]:+.1e}")

# %% [markdown]
# ## The two costs in one picture
#
# Three dials, three periods, no noise: the measure falls until it hits a floor. The dashed line is
# $\|\nabla\Phi(x_\mathrm{local})\|^2$, the cost of local inverses, of order dial$^4$ as it is a square. What
# lies above it is the cost of the period.


# %%
def falling(axes, dial):
    """E||grad Phi||^2 over t for three periods, and the floor of local inverses."""
    world, times = three(dial), np.unique(np.linspace(0, 40_000, 26).astype(int)).tolist()
    for p, colour in zip((1, 64, 256), COLOURS, strict=False):
        solver = LocalBSGM(**gentle, p=p)
        curves = expect(world, solver, K=3, T=40_000, x0=[1.0], y0=[0.0], times=times).curves
        axes.semilogy(curves.t, curves.gradient, color=colour, label=f"$p = {p}$")
    axes.axhline(float(world.hypergradient(world.x_local)[0] ** 2), color=COLOURS[-1], ls="--", lw=1)
    axes.set(xlabel="iteration $t$", title=f"dial = {dial:g}", ylim=(1e-10, 100), xticks=(0, 20_000, 40_000))


figure, panels = plt.subplots(1, 3, figsize=(10.2, 3.4), sharey=True, layout="constrained")
for axes, dial in zip(panels, (0.02, 0.08, 0.32), strict=True):
    falling(axes, dial)
panels[0].set_ylabel(r"$\|\nabla\Phi(\bar x_t)\|^2$")
panels[0].legend(loc="upper right")
plt.show()

# %% [markdown]
# With a notebook front end you can turn the dial yourself.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
try:
    from ipywidgets import FloatLogSlider, interact
except ImportError:
    print("pip install ipywidgets, and there is a slider here.")
else:

    def turned(dial):
        axes = plt.subplots(figsize=(5.0, 3.4), layout="constrained")[1]
        falling(axes, dial)
        plt.show()

    slider = FloatLogSlider(value=0.1, min=-2, max=-0.4, step=0.1, continuous_update=False)
    _ = interact(turned, dial=slider)

# %% [markdown]
# ## The cost of the period alone
#
# If all $A_k$ are equal, local inverses are unbiased and $p = 1$ rests at $x^*$ exactly. `two_kinds` is the
# smallest such world: half of the devices have $B + \mathrm{dial}$, half $B - \mathrm{dial}$. With $F_k$ the
# mean field of device $k$, $J_k$ its derivative and $s = \frac1K\sum_k J_k R W F_k$ ($R$ the steps, $W$ the
# momentum parameters), rounds of $p$ steps move the resting place by a displacement $d$ that obeys, while
# $p\eta$ is small,
#
# | | $\bar J d$ |
# |---|---|
# | LocalBSGM | $\frac{p^2-1}{6}\,\eta^2 s$ |
# | LocalBSGVRM as printed (a device keeps its own previous point) | $\frac{p^2-1}{6}\,\eta^3 s$ |
# | LocalBSGVRM with fresh momenta | $\frac{p-1}{2}\,\eta\, W^{-1} s$ |
#
# $F_k$ has mean zero over devices at the solution, so $s$ is a product of two differences between devices: of
# order dial$^2$ once more.
#
# `displacement` evaluates these laws; `fixed_point` knows nothing of them, it solves the linear system of a
# round.


# %%
def two_kinds(dial):
    """Two devices around a scalar world: A_k = A, B_k = B ± dial, c_k = c ± dial."""
    mean, sign = scalar(mu=1.0, L_1=2.0, a=0.5, b=-0.5), np.array([1.0, -1.0])
    spread = {"dA": np.zeros((2, 1, 1)), "dB": sign[:, None, None], "dc": sign[:, None]}
    return Heterogeneous(**spread, dial=dial, **{f.name: getattr(mean, f.name) for f in fields(Quadratic)})


def displacement(world, solver, p):
    """d by the laws above; the first device's F is +, the second's -."""
    A, B, P, D, b = (float(np.squeeze(getattr(world, name))) for name in "ABPDb")
    x, eta = world.x_star[0], solver.step_size(0)
    back = (1 - (1 - solver.theta * A) ** (solver.Q + 1)) / A * D  # the Neumann sum, times D
    F = world.dial * np.array([back * (world.y_star(world.x_star)[0] - b), -(x + 1.0)])
    R, W = np.array([solver.rho_1, solver.rho_2]), np.array([solver.alpha, solver.beta])
    s = world.dial * np.array([[0.0, back], [-1.0, 0.0]]) @ (R * W * F)
    if isinstance(solver, LocalBSGVRM):
        moved = (p - 1) / 2 * eta * s / W if solver.momenta == "fresh" else (p**2 - 1) / 6 * eta**3 * s
    else:
        moved = (p**2 - 1) / 6 * eta**2 * s
    return np.linalg.solve([[P, B * back], [-B, A]], moved)


tiny = {**gentle, "eta": 1e-4, "rho_1": 0.1, "theta": 0.4, "Q": 100, "p": 2}
METHODS = {
    "LocalBSGM": LocalBSGM(**tiny),
    "LocalBSGVRM": LocalBSGVRM(**tiny),
    "LocalBSGVRM, fresh": LocalBSGVRM(**tiny, momenta="fresh"),
}
pair = two_kinds(dial=0.3)
ratio = {}
for name, solver in METHODS.items():
    measured, law = fixed_point(pair, solver).excess_x[0], displacement(pair, solver, 2)[0]
    ratio[name] = measured / law
    print(f"{name:19s} p = 2: x moves by {measured:+.4e}, the law says {law:+.4e}")

wide = [0.05, 0.1, 0.2, 0.4]
moved = [abs(fixed_point(two_kinds(dial=d), replace(METHODS["LocalBSGM"], p=64)).excess_x[0]) for d in wide]
second_order = fit_slope(wide, moved)
print("exponent of the dial in the displacement, p = 64:", second_order)

# %% [markdown]
# And the whole range of $p$: the laws (dashed) hold over many decades, then rounds become so long that each
# device reaches a solution of its own, and nothing is left to lose. A dip is a change of sign. The gap is
# something else: as printed, LocalBSGVRM lets a device keep its own previous point through an average, and
# with it its deviation from the mean. A round multiplies that deviation by $I - e^{-p\eta RJ}$, and where
# $RJ$ has complex eigenvalues this can exceed 1, though every step is stable. There is no resting place then,
# and `fixed_point` says so instead of returning a number.


# %%
def excess(solver, p):
    """|x_p - x_1|, nan where the rounds do not converge."""
    try:
        return abs(fixed_point(pair, replace(solver, p=p)).excess_x[0])
    except rc.errors.NoLimitError:
        return np.nan


figure, axes = plt.subplots(figsize=(7.4, 4.0), layout="constrained")
grid = [2**e for e in range(1, 22, 2)]
for (name, solver), colour in zip(METHODS.items(), COLOURS, strict=False):
    axes.loglog(grid, [excess(solver, p) for p in grid], "o-", ms=4, color=colour, label=name)
    axes.loglog(grid, [abs(displacement(pair, solver, p)[0]) for p in grid], "--", lw=1, color=colour)
axes.set(xlabel="period $p$", ylabel="$|x_p - x_1|$", ylim=(1e-15, 1))
axes.legend(loc="lower right")
plt.show()

# %% [markdown]
# ## Exercise
#
# Where does the curve of LocalBSGM end as $p\to\infty$? Make a guess that can be computed from `pair.devices`
# alone, and check it at $p = 10^9$.
#
# <details><summary>Solution</summary>
#
# In an endless round every device forgets the average from which it started and comes to rest at the solution
# of its own problem, so what is averaged are these: the limit is the mean of the devices' own $x_k^*$. It is
# not $x^*$, the solution of the mean problem.
#
# ```python
# endless = fixed_point(pair, replace(METHODS["LocalBSGM"], p=10**9)).x[0]
# own = np.mean([device.x_star[0] for device in pair.devices])
# print(f"rounds of 10^9 steps {endless:.12f}, mean of own solutions {own:.12f}, x* {pair.x_star[0]:.12f}")
# assert abs(endless - own) < 1e-12 < 1e-2 < abs(endless - pair.x_star[0])
# ```
#
# </details>

# %% [markdown]
# ## What the text claimed

# %% jupyter={"source_hidden": true} tags=["hide-input"]
assert np.ptp([run.gradient for run in runs]) < 1e-12 * runs[0].gradient  # p plays no part
assert runs[0].drift_x == 0 < runs[1].drift_x < runs[2].drift_x < runs[3].drift_x  # except in the drift
assert drift.check(3, 1e-3).verdict == "passes"
assert np.ptp(kappa) < 1e-6 * kappa[0]
assert limits[-1].gradient > base.gradient * (1 + 1e-6)
assert fit_slope(dials, off).check(2, 1e-3).verdict == "passes"
assert abs(ours - world.x_local)[0] < 1e-12 < 1e-4 < abs(ours - world.x_star)[0]
assert abs(theirs - world.x_star)[0] < 1e-14
assert all(abs(r - 1) < 1e-3 for r in ratio.values())
assert np.isnan(excess(METHODS["LocalBSGVRM"], 2**17))  # the gap
assert second_order.check(2, 1e-3).verdict == "passes"
