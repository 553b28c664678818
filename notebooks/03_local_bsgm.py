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
# # 3. LocalBSGM: what momentum and averaging do
#
# LocalBSGM is the paper's first algorithm: $K$ devices take steps on both levels along moving averages of sampled
# gradients, and every $p$ steps all of them meet and take the mean. At the end of this notebook you will know what
# the momentum buys (not what most people guess), what the averages buy, and how one can know the *expectation* of
# such an algorithm without running it: exact moments, which this project has in place of thousands of sampled
# paths.

# %%
import inspect
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

import ratecert as rc
from ratecert import expect, stationary
from ratecert.methods import LocalBSGM, LocalSGD
from ratecert.worlds import random_quadratic

# %matplotlib inline
plt.rcParams.update(rc.style.STYLE)
COLOURS = rc.style.COLOURS

# %% [markdown]
# The algorithm is written once, in the letters of the paper, and here it is. `h` is the stochastic Neumann
# hypergradient of notebook 2, `g` a sample of $\nabla_y g$. Momentum:
#
# $$u_t = (1 - \alpha\eta)\,u_{t-1} + \alpha\eta\, h_t, \qquad v_t = (1 - \beta\eta)\,v_{t-1} + \beta\eta\, g_t,$$
#
# then the move $x_{t+1} = x_t - \rho_1 \eta\, u_t$, $y_{t+1} = y_t - \rho_2 \eta\, v_t$. Both levels move at the
# same time; nobody waits for $y$ to reach $y^*(x)$.

# %%
print(inspect.getsource(LocalBSGM.momentum), inspect.getsource(LocalBSGM.move), sep="\n")

# %% [markdown]
# Let it run: four devices, a random world with noise in $f$, in $g$ and in its Hessian, 300 independent runs of 512
# iterations. Each measure comes with its standard error.

# %%
world = random_quadratic(d_x=2, d_y=2, mu=1.0, L_1=2.0, sigma_H=0.1, s_f=0.5, s_g=0.5, seed=1)
solver = LocalBSGM(eta=0.02, alpha=4.0, beta=4.0, rho_1=0.2, rho_2=1.0, p=8, theta=0.4, Q=20)
start = {"x0": np.ones(2), "y0": np.zeros(2)}
times = np.unique(np.geomspace(1, 512, 24).astype(int)).tolist()
sampled = rc.simulate(world, solver, K=4, T=512, replicates=300, seed=0, times=times, **start)
print(
    f"mean of E||grad Phi||^2 over t < 512: {sampled.gradient:.5f} +- {sampled.standard_error.gradient:.5f}"
)

# %% [markdown]
# **Exact moments.** On a quadratic world a step is an affine map of the state with random coefficients that are
# fresh at every step. So the mean and the second moments of the state at $t + 1$ are *linear* functions of those at
# $t$: a matrix, and $T$ steps are the matrix to the power $T$. `expect` finds that matrix by interpreting the very
# same `momentum` and `move` on symbols, and takes the power by repeated squaring. No path is drawn. Devices that
# are alike need the second moments of one device and of a pair only, so $K$ costs nothing.

# %%
exact = expect(world, solver, K=4, T=512, times=times, **start)
z = (sampled.curves.gradient - exact.curves.gradient) / sampled.curves.standard_error.gradient
huge = expect(world, solver, K=10**6, T=10**12, times=[], **start)
runs = 300 * (sampled.standard_error.gradient / (1e-6 * exact.gradient)) ** 2
print(f"exact {exact.gradient:.12f}, estimated relative error {exact.precision:.0e}")
print(f"largest |sampled - exact| in standard errors, over {len(z)} times: {np.abs(z).max():.2f}")
print(f"runs that sampling would need for six digits: {runs:.0e}")
print(f"a million devices, 10^12 iterations: {huge.gradient:.6e}")

# %% [markdown]
# Dots with bars of three standard errors are sampled, lines are exact. In the course of a run $y$ first catches up
# with $y^*(x)$, then follows it, and then the noise takes over: with a constant step there is a level below
# which it does not get.

# %%
_, axes = plt.subplots(figsize=(6.8, 3.8), layout="constrained")
names = {"gradient": r"$E\,\|\nabla\Phi(\bar x_t)\|^2$", "tracking": r"$E\,\|\bar y_t - y^*(\bar x_t)\|^2$"}
for (name, label), colour in zip(names.items(), COLOURS, strict=False):
    bars = 3 * getattr(sampled.curves.standard_error, name)
    axes.errorbar(times, getattr(sampled.curves, name), bars, fmt=".", color=colour, elinewidth=1)
    axes.loglog(times, getattr(exact.curves, name), color=colour, label=label)
axes.set(xlabel="$t$", title="300 runs and the exact expectation, $K = 4$")
axes.legend(fontsize=8)
plt.show()

# %% [markdown]
# **Without momentum.** If $\alpha\eta = \beta\eta = 1$ then $u_t = h_t$ and $v_t = g_t$: nothing is remembered, and
# LocalBSGM *is* local SGD. Two definitions in two files, one number, to the last digits: this is how the methods of
# this project are tested against each other.

# %%
forgetful = replace(solver, alpha=50.0, beta=50.0)  # eta = 1/50
sgd = LocalSGD(eta=0.02, rho_1=0.2, rho_2=1.0, p=8, theta=0.4, Q=20)
same = [expect(world, method, K=4, T=10**4, times=[], **start).gradient for method in (forgetful, sgd)]
print(same)

# %% [markdown]
# **What momentum does, and does not.** A moving average makes $u$ smoother, so one expects it to lower the noise
# level at which the method ends. It does not. $x$ itself is already an average over many steps; smoothing $u$ first
# only *delays* the answer, and a delayed feedback overshoots. As $\alpha$ becomes smaller the level *rises*, slowly
# down to $\alpha \approx 1$ and fast below; well below $0.1$ there is no level at all. One level alone would only
# ring; here each of the two reacts to what the other did a while ago, and the oscillation builds up.
#
# The drift tells another story. It is how far apart the devices get between two meetings, and it falls by orders of
# magnitude.

# %%
alphas = np.geomspace(0.1, 50.0, 14)
levels = [stationary(world, replace(solver, alpha=a, beta=a), K=4) for a in alphas]
_, (left, right) = plt.subplots(1, 2, figsize=(9.2, 3.6), layout="constrained")
left.loglog(alphas, [level.gradient for level in levels], "o-", color=COLOURS[0])
left.set(
    xlabel=r"$\alpha = \beta$", ylabel=r"$E\,\|\nabla\Phi(\bar x)\|^2$ as $T \to \infty$", ylim=(1e-4, 1)
)
right.loglog(alphas, [level.drift_x for level in levels], "o-", color=COLOURS[1])
right.set(xlabel=r"$\alpha = \beta$", ylabel=r"drift $E\,\|x_k - \bar x\|^2$")
plt.show()
try:
    stationary(world, replace(solver, alpha=0.02, beta=0.02), K=4)
    oscillates = False
except rc.errors.NoLimitError as none:
    oscillates = True
    print(none)

# %% [markdown]
# **Inside a round.** Why so much less drift? Count. After an average all devices are equal. Without momentum each
# then does a random walk: after $j$ steps its variance is that of $j$ samples, and the mean over a round of $p$
# steps is $\tfrac1p \sum_{j<p} j = \tfrac{p - 1}{2}$. With momentum the noise first has to build up in $u$, and $x$
# sums that up: after $j$ steps $x$ is a sum of samples with the weights $1, 2, \dots, j$, each times $\alpha\eta$.
# The mean over a round is
#
# $$(\alpha\eta)^2\, \frac1p \sum_{j<p} \sum_{i \le j} i^2 = (\alpha\eta)^2\, \frac{p\,(p^2 - 1)}{12} .$$
#
# Cubic in $p$, but with the tiny factor $(\alpha\eta)^2$ in front. The count is exact as $\eta p \to 0$. (Theorem 1
# has a $p^4$ where this has $p^3$.)

# %%
periods, eta = [2, 4, 8, 16, 32], 1e-6


def drift(p, alpha):
    steps = replace(solver, eta=eta, alpha=alpha, beta=alpha, p=p)
    return stationary(world, steps, K=4).drift_x


with_momentum = np.array([drift(p, 4.0) for p in periods])
without = np.array([drift(p, 1 / eta) for p in periods])
print("p                        ", periods)
print("with momentum, over p = 2", (with_momentum / with_momentum[0]).round(3), " counted: p (p^2 - 1)/6")
print("without,       over p = 2", (without / without[0]).round(3), " counted: p - 1")

# %% [markdown]
# And as a picture, step by step through three rounds, starting from devices that agree. The steps are those of the
# runs above. In the first round LocalBSGM is the worse of the two: $u_0 = h_0$ is one whole sample, which each
# device follows until the first average. From then on its drift grows from far below. Remember that first sample:
# it has a term of its own in every theorem.


# %%
def three_rounds(alphas, p):
    """The drift, step by step, of local SGD and of LocalBSGM with these momentum parameters."""
    t = list(range(3 * p + 1))
    methods = {"LocalSGD": sgd} | {
        rf"LocalBSGM, $\alpha = {a:g}$": replace(solver, alpha=a, beta=a) for a in alphas
    }
    _, axes = plt.subplots(figsize=(6.8, 3.6), layout="constrained")
    for (name, method), colour in zip(methods.items(), (COLOURS[1], COLOURS[0], *COLOURS[2:]), strict=False):
        rounds = expect(world, replace(method, p=p), K=4, T=3 * p, times=t, **start).curves.drift_x
        axes.semilogy(t[1:], np.where(rounds[1:] > 0, rounds[1:], np.nan), ".-", color=colour, label=name)
    axes.set(xlabel="$t$", ylabel=r"drift $E\,\|x_k - \bar x\|^2$", title=f"$p = {p}$")
    axes.legend(fontsize=8)
    plt.show()


three_rounds([16.0, 4.0, 1.0], p=16)

# %% [markdown]
# With a kernel, move the momentum and the period. Where do the two methods become one?

# %% jupyter={"source_hidden": true} tags=["hide-input"]
try:
    from ipywidgets import FloatLogSlider, IntSlider, interact
except ImportError:
    print("pip install ipywidgets, and there is a slider here.")
else:
    weight = FloatLogSlider(value=4.0, min=-1, max=1.69, step=0.05, continuous_update=False)
    period = IntSlider(value=16, min=2, max=64, continuous_update=False)
    _ = interact(lambda alpha, p: three_rounds([alpha], p), alpha=weight, p=period)

# %% [markdown]
# **What the averages do.** The level of $\mathbb E\|\nabla\Phi(\bar x)\|^2$ is noise of a mean of $K$ devices, so
# it is $1/K$ of that of one: $K$ times the level does not depend on $K$. That is the seed of linear speedup, and
# the next notebook grows it.

# %%
devices = [1, 4, 16, 64, 256]
scaled = [K * stationary(world, replace(solver, eta=1e-4), K=K).gradient for K in devices]
print("K * level:", ", ".join(f"{value:.6e}" for value in scaled))

# %% [markdown]
# ## Exercise
#
# How often do devices that are *alike* have to meet? Take the world without Hessian noise (`sigma_H` = 0) and let
# them meet every 2, every 64, and never ($p = 10^6$ with $T = 512$). Compare `gradient` and `drift_x`. Explain what
# you see before you look.
#
# <details><summary>Solution</summary>
#
# The gradient does not change *at all*. With additive noise a step is one fixed affine map plus noise, the mean
# over devices commutes with it, and $\bar x_t$ follows the same law whether the devices meet or not. Only the drift
# grows. Averages are needed where devices differ, where the noise multiplies the state, and where one wants every
# device, and not only the mean, to have the solution.
#
# ```python
# additive = random_quadratic(d_x=2, d_y=2, mu=1.0, L_1=2.0, s_f=0.5, s_g=0.5, seed=1)
# meeting = {p: expect(additive, replace(solver, p=p), K=4, T=512, times=[], **start) for p in (2, 64, 10**6)}
# for p, run in meeting.items():
#     print(f"p = {p:7d}   gradient {run.gradient:.12f}   drift_x {run.drift_x:.2e}")
# gradients = [run.gradient for run in meeting.values()]
# assert max(gradients) - min(gradients) < 1e-12
# assert meeting[2].drift_x < meeting[64].drift_x < meeting[10**6].drift_x
# ```
#
# </details>

# %% [markdown]
# What was claimed, as assertions. The seed of the sampled runs is fixed; with another one, two dozen normal
# variables would exceed five standard errors with a probability of about $10^{-5}$.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
assert np.abs(z).max() < 5
assert exact.precision < 1e-9
assert abs(same[0] / same[1] - 1) < 1e-12
gradients = np.array([level.gradient for level in levels])
assert gradients[-1] == gradients.min()  # no momentum, lowest level
assert gradients[alphas > 1].max() < 1.5 * gradients.min()
assert gradients[0] > 5 * gradients.min()
assert oscillates
assert levels[0].drift_x < 1e-3 * levels[-1].drift_x
p = np.array(periods)
np.testing.assert_allclose(with_momentum / with_momentum[0], p * (p**2 - 1) / 6, rtol=1e-3)
np.testing.assert_allclose(without / without[0], p - 1, rtol=1e-3)
np.testing.assert_allclose(scaled, scaled[0], rtol=1e-3)
