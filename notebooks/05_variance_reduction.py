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
# # 5. Variance reduction: from −1/2 to −2/3
#
# LocalBSGM falls as $(KT)^{-1/2}$, LocalBSGVRM as $(KT)^{-2/3}$, and the two differ by one subtraction. At
# the end you will know what that subtraction does to the noise, why an exponent of 2 in the step becomes an
# exponent of 2/3 in $T$, which part of the algorithm (a batch that is drawn once, before the first iteration)
# holds the rate up, and what happens if the two evaluations in the subtraction do not share their sample.
# Apart from a few single draws at the beginning, every number below is an exact expectation, so an exponent is
# good to three digits and more.

# %%
import matplotlib.pyplot as plt
import numpy as np

import ratecert as rc
from ratecert import along, expect, fit_slope, stationary
from ratecert.contract import (
    LowerGradient,
    StochasticNeumann,
    neumann_hypergradient,
    stochastic_hypergradient,
)
from ratecert.methods import LocalBSGM, LocalBSGVRM
from ratecert.worlds import scalar

# %matplotlib inline
plt.rcParams.update(rc.style.STYLE)
COLOURS = rc.style.COLOURS

# %% [markdown]
# ## One sample, two points
#
# LocalBSGM keeps a running mean of its samples, $u_t = (1-\alpha\eta)\,u_{t-1} + \alpha\eta\, h_t(z_t)$ with
# $z=(x,y)$. LocalBSGVRM adds a correction for the way the point has moved meanwhile,
#
# $$u_t = (1-\alpha\eta^2)\,\bigl(u_{t-1} - h_t(z_{t-1})\bigr) + h_t(z_t),$$
#
# where **one** sample $h_t$ is evaluated at **two** points (this is STORM). Where noise is additive it drops
# out of $h_t(z_t) - h_t(z_{t-1})$ altogether. Look at the difference for three samples, and at the same
# difference with a new sample at the second point. What both estimate is the first column.

# %%
quiet = scalar(mu=1.0, L_1=2.0, a=0.5, b=-0.2, c=0.3, s_f=0.5, s_g=0.5)  # additive noise alone
here, there = ([1.0], [0.4]), ([1.1], [0.5])


def h(point, seed):
    return stochastic_hypergradient(quiet, *point, theta=0.45, Q=40, seed=seed)[0]


mean = np.subtract(*(neumann_hypergradient(quiet, *z, theta=0.45, Q=40)[0] for z in (there, here)))
shared = [h(there, seed) - h(here, seed) for seed in range(3)]
fresh = [h(there, seed) - h(here, seed + 100) for seed in range(3)]
for one, other in zip(shared, fresh, strict=True):
    print(f"mean {mean:.6f}    one sample {one:.6f}    two samples {other:+.6f}")

# %% [markdown]
# ## The height of the floor
#
# Let a method run forever with a constant step. It ends on a floor, $E\|\nabla\Phi(\bar x_t)\|^2$ in the
# limit $t\to\infty$, and `stationary` computes that limit from a linear system. The world now has noise of
# every kind: in $f$, in $g$, in its Hessian ($\sigma_H$) and in its coupling ($\sigma_J$).

# %%
world = scalar(mu=1.0, L_1=2.0, a=0.5, b=-0.2, c=0.3, sigma_H=0.1, sigma_J=0.1, s_f=0.5, s_g=0.5)
steps = {"alpha": 1.0, "beta": 1.0, "rho_1": 0.05, "rho_2": 0.15, "p": 1, "theta": 0.45, "Q": 80}
etas = [2.0**-e for e in (14, 17, 20)]

floor = {
    method.__name__: [stationary(world, method(eta=eta, **steps), K=1).gradient for eta in etas]
    for method in (LocalBSGM, LocalBSGVRM)
}
for name, heights in floor.items():
    print(f"{name:12s} floor ~ eta^{fit_slope(etas, heights).value:.4f}")

# %% [markdown]
# Why 1 and 2? The error $e = u - E h$ of a momentum forgets a fraction $w$ of itself per iteration and takes
# in fresh noise of variance $w^2 S$, so it settles at about $wS/2$, and lasts about $1/w$ iterations. In
# LocalBSGM, $w = \alpha\eta$, that is shorter than the $1/(\rho\eta)$ iterations over which $x$ averages: what
# the momentum takes from the noise it adds to its memory, and the floor is that of plain steps, of order
# $\rho\eta S$ whatever $\alpha$ is. In LocalBSGVRM, $w = \alpha\eta^2$, the error lasts so long that $x$ follows
# it: the floor is $wS/2$, of order $\alpha\eta^2$ whatever $\rho$ is. LocalBSGM cannot take a weight as small as
# $\eta^2$, because without the correction its momentum would lag behind the moving point. The correction
# removes the lag, and small weights become affordable.
#
# See it: four pairs of $\alpha$ and $\rho_1$. The line of LocalBSGM moves with $\rho_1$ alone, that of LocalBSGVRM
# with $\alpha$ alone.


# %%
def lines(pairs):
    """The floors of both methods over the step, for pairs of alpha and rho_1."""
    _, panels = plt.subplots(1, 2, figsize=(9.2, 3.4), layout="constrained", sharey=True)
    for axes, method, least in zip(panels, (LocalBSGM, LocalBSGVRM), (16, 1), strict=True):
        for (alpha, rho), colour, style in zip(pairs, COLOURS, ("-", "--", "-", ":"), strict=False):
            new = {**steps, "alpha": least * alpha, "beta": least * alpha, "rho_1": rho, "rho_2": 3 * rho}
            heights = [stationary(world, method(eta=eta, **new), K=1).gradient for eta in etas]
            axes.loglog(etas, heights, style, marker="o", color=colour, base=2,
                        label=rf"$\alpha = {least * alpha:g},\ \rho_1 = {rho:g}$")  # fmt: skip
        axes.set(xlabel=r"step $\eta$", title=method.__name__)
        axes.set_yscale("log", base=10)
        axes.legend(fontsize=8)
    panels[0].set_ylabel("floor")
    plt.show()


lines([(1, 0.05), (4, 0.05), (1, 0.1), (4, 0.1)])

# %% [markdown]
# With a kernel, move both.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
try:
    from ipywidgets import FloatLogSlider, interact
except ImportError:
    print("pip install ipywidgets, and there is a slider here.")
else:
    weight = FloatLogSlider(value=1.0, min=0, max=1, step=0.05, continuous_update=False)
    step = FloatLogSlider(value=0.05, min=-2, max=-1, step=0.05, continuous_update=False)
    _ = interact(lambda alpha, rho: lines([(1, 0.05), (alpha, rho)]), alpha=weight, rho=step)

# %% [markdown]
# ## From the floor to the rate
#
# A run of $T$ iterations pays for the way down, about $1/(\eta T)$, and for the floor, $\eta^q$. The best
# step makes them equal, $\eta = T^{-1/(q+1)}$, and leaves
#
# $$\text{measure} \approx T^{-q/(q+1)}:\qquad q=1 \Rightarrow T^{-1/2},\qquad q=2 \Rightarrow T^{-2/3}.$$
#
# That is the whole difference between Corollaries 1 and 3. `along` reads a corollary's scalings ($\eta$, $p$,
# $Q$, $B$, $\alpha$, ... in orders of $K$ and $T$) from the statement itself and builds the solver;
# $O(\cdot)$ leaves the units open, so we supply them.

# %%
UNITS = {
    "corollary-1": {"alpha": 8.0, "beta": 8.0, "rho_1": 0.1, "rho_2": 0.3, "eta": 6.0, "Q": 2.0},
    "corollary-3": {"alpha": 1.0, "beta": 1.0, "rho_1": 0.05, "rho_2": 0.15, "eta": 1.0, "Q": 2.0},
}


def measure(corollary, T, K=8, **instead):
    run = along(corollary, K=K, T=T, theta=0.45, units=UNITS[corollary], **instead)
    return expect(world, run.solver, K=K, T=T, x0=[1.0], y0=[0.0], times=[]).gradient


print(along("corollary-1", K=8, T=2**48, theta=0.45, units=UNITS["corollary-1"]).solver)
print(along("corollary-3", K=8, T=2**48, theta=0.45, units=UNITS["corollary-3"]).solver)

# %% [markdown]
# Now the two slopes in $T$, over runs of up to $2^{60}$ iterations. The interval is the range of the slopes
# between neighbouring points: it shows how much the curve still bends.

# %%
T = [2**e for e in (42, 48, 54, 60)]
curve = {corollary: [measure(corollary, t) for t in T] for corollary in UNITS}
in_T = {corollary: fit_slope(T, values) for corollary, values in curve.items()}
for corollary, slope in in_T.items():
    print(f"{corollary}: exponent of T {slope}")

# %% [markdown]
# Linear speedup means that $K$ has the same exponent as $T$: eight devices are worth eight times the
# iterations. For the variance-reduced method that takes $\alpha \propto 1/K$. More devices may forget more
# slowly.

# %%
K = [1, 8, 64]
in_K = {corollary: fit_slope(K, [measure(corollary, 2**48, K=k) for k in K]) for corollary in UNITS}
for corollary, slope in in_K.items():
    print(f"{corollary}: exponent of K {slope}")

# %% [markdown]
# ## The price of small weights: the first sample
#
# A momentum that forgets at the rate $\alpha\eta^2$ remembers its first sample for
# $1/(\alpha\eta^2) \approx T^{2/3}$ iterations. If that sample has the variance $S/B$, the average over $T$
# iterations carries
#
# $$\frac{S}{B}\cdot\frac{T^{2/3}}{T} = \frac{S}{B}\,T^{-1/3}.$$
#
# So the corollary asks for a batch of $B = O(T^{1/3})$ samples, **once**. Leave it out and the rate of
# LocalBSGVRM is worse than that of LocalBSGM. The slope between neighbours comes down to $-1/3$:

# %%
curve["B = 1"] = [measure("corollary-3", t, B=1) for t in T]
between = np.diff(np.log(curve["B = 1"])) / np.diff(np.log(np.array(T, dtype=float)))
print("B = 1, slopes between neighbours:", between.round(5))

# %% [markdown]
# Subtract what the run would have had with an (almost) noise-free start, $B = 2^{62}$, and the part of the
# first sample stands alone. Its exponent is $-1/3$ at once, without waiting for it to dominate.

# %%
perfect = np.array([measure("corollary-3", t, B=2**62) for t in T])
first_sample = fit_slope(T, np.array(curve["B = 1"]) - perfect)
print("part of the first sample, B = 1:", first_sample)

# %% [markdown]
# ## What if the two evaluations do not share the sample?
#
# It looks like a detail of the implementation: draw again for $h(z_{t-1})$. Then every iteration adds noise
# of the size of two full samples, of which only a fraction $\alpha\eta^2$ is forgotten. The variance settles
# at about $2S/(2\alpha\eta^2)$, so the floor **rises** as $\eta^{-2}$: smaller steps make it worse. (The
# world is the one with additive noise. With Hessian noise this variant has no floor at all, its second
# moments diverge.)


# %%
class TwoSamples(LocalBSGVRM):
    """LocalBSGVRM with a sample of its own for the previous point."""

    def momentum(self, t, s, oracle):
        if t == 0:
            return super().momentum(t, s, oracle)
        h, g = oracle.sample(self.hypergradient, t), oracle.sample(LowerGradient(), t)
        h_again = oracle.sample(StochasticNeumann(theta=self.theta, Q=self.Q, label="xi again"), t)
        g_again = oracle.sample(LowerGradient(label="zeta again"), t)
        keep_u, keep_v = (1 - weight * self.step_size(t - 1) ** 2 for weight in (self.alpha, self.beta))
        u = keep_u * (s.u - h_again(s.x_previous, s.y_previous)) + h(s.x, s.y)
        return u, keep_v * (s.v - g_again(s.x_previous, s.y_previous)) + g(s.x, s.y)


floor["TwoSamples"] = [stationary(quiet, TwoSamples(eta=eta, **steps), K=1).gradient for eta in etas]
print(f"TwoSamples floor ~ eta^{fit_slope(etas, floor['TwoSamples']).value:.4f}")
try:
    stationary(world, TwoSamples(eta=etas[0], **steps), K=1)
except rc.errors.NoLimitError as refusal:
    diverges = str(refusal)
print("with Hessian noise", diverges)

# %% [markdown]
# ## The picture
#
# Left, what a step size buys. Right, what it makes of the rate.

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.9), layout="constrained")
labels = {
    "LocalBSGM": r"LocalBSGM, $\eta^1$",
    "LocalBSGVRM": r"LocalBSGVRM, $\eta^2$",
    "TwoSamples": r"two samples, $\eta^{-2}$",
}
for (name, heights), colour in zip(floor.items(), COLOURS, strict=False):
    left.loglog(etas, heights, "o-", color=colour, label=labels[name], base=2)
left.set(xlabel=r"step $\eta$", ylabel=r"floor: $E\|\nabla\Phi(\bar x_t)\|^2$ as $t\to\infty$")
names = {
    "corollary-1": "Corollary 1, $-1/2$",
    "corollary-3": "Corollary 3, $-2/3$",
    "B = 1": "$B = 1$, to $-1/3$",
}
for (name, values), colour in zip(curve.items(), (*COLOURS[:2], COLOURS[3]), strict=True):
    right.loglog(T, values, "o-", color=colour, label=names[name], base=2)
right.set(xlabel="iterations $T$", ylabel=r"average of $E\|\nabla\Phi(\bar x_t)\|^2$ over $t<T$")
for axes in (left, right):
    axes.set_yscale("log", base=10)
    axes.legend(fontsize=9)
plt.show()

# %% [markdown]
# ## Exercise
#
# How large does $B$ have to be? Say $B = T^{b}$. Predict the exponent of the part of the first sample, then
# the exponent of the whole run, and measure the first for $b = 1/6$ and $b = 1/3$. From which $b$ on is a
# larger batch a waste?
#
# <details><summary>Solution</summary>
#
# The part of the first sample is $S\,T^{-1/3}/B$, of order $T^{-(1/3+b)}$, beside $T^{-2/3}$ for everything
# else. The run has the exponent $-\min(2/3,\ 1/3+b)$, so $b = 1/3$ is enough, as the corollary says, and more
# is a waste.
#
# ```python
# excess = {}
# for b in (1 / 6, 1 / 3):
#     values = np.array([measure("corollary-3", t, B=round(t**b)) for t in T])
#     excess[b] = fit_slope(T, values - perfect)
#     print(f"b = {b:.3f}: {excess[b]}")
#     assert excess[b].check(-(1 / 3 + b), 1e-3).verdict == "passes"
# ```
#
# </details>

# %% [markdown]
# ## What the text claimed
#
# The last cell of each notebook asks whether all of it is so.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
assert np.allclose(shared, mean, rtol=1e-12)  # one sample: the noise is gone
assert min(abs(np.array(fresh) - mean)) > 0.1  # two samples: it is not
assert "do not converge" in diverges  # two samples and Hessian noise
for name, power in {"LocalBSGM": 1, "LocalBSGVRM": 2, "TwoSamples": -2}.items():
    assert abs(fit_slope(etas, floor[name]).value - power) < 1e-3
level = {
    (method.__name__, alpha, rho): stationary(
        world, method(eta=etas[0], **{**steps, "alpha": alpha, "beta": alpha, "rho_1": rho, "rho_2": 3 * rho}), K=1
    ).gradient
    for method, alpha, rho in ((LocalBSGM, 16, 0.05), (LocalBSGM, 64, 0.05), (LocalBSGM, 64, 0.1),
                               (LocalBSGVRM, 1, 0.05), (LocalBSGVRM, 4, 0.05), (LocalBSGVRM, 4, 0.1))
}  # fmt: skip
assert abs(level["LocalBSGM", 16, 0.05] / level["LocalBSGM", 64, 0.05] - 1) < 0.01  # whatever alpha is
assert abs(level["LocalBSGM", 64, 0.1] / level["LocalBSGM", 64, 0.05] - 2) < 0.05  # in proportion to rho
assert abs(level["LocalBSGVRM", 4, 0.05] / level["LocalBSGVRM", 1, 0.05] - 4) < 0.1  # to alpha
assert abs(level["LocalBSGVRM", 4, 0.1] / level["LocalBSGVRM", 4, 0.05] - 1) < 0.05  # whatever rho is
for corollary, rate in {"corollary-1": -1 / 2, "corollary-3": -2 / 3}.items():
    assert in_T[corollary].check(rate, 1e-3).verdict == "passes"
    assert in_K[corollary].check(rate, 1e-3).verdict == "passes"
assert np.all(np.diff(between) > 0)
assert abs(between[-1] + 1 / 3) < 1e-3
assert first_sample.check(-1 / 3, 1e-3).verdict == "passes"
