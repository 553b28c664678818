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
# # 2. The Neumann series and its bias $\Delta_Q$
#
# The hypergradient contains the inverse of a Hessian that nobody wants to invert. All methods of this course
# replace it by a geometric series and stop after some terms. At the end of this notebook you will know the
# error that this leaves, exactly and not just as a bound; you will have seen the paper's bound $\Delta_Q$
# attained, met three ways to sample the series and what they pay in variance, and you will know how many
# terms a method needs before the error stops mattering.
#
# We write $A = \nabla_{yy} g$ and $w = \nabla_y f$. For $0 < \theta < 2/\lambda_{\max}(A)$,
#
# $$A^{-1} w = \theta \sum_{q=0}^{\infty} (I - \theta A)^q\, w .$$

# %%
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

import ratecert as rc
from ratecert.contract import StochasticNeumann, neumann_hypergradient
from ratecert.worlds import random_quadratic

# %matplotlib inline
plt.rcParams.update(rc.style.STYLE)
COLOURS = rc.style.COLOURS

# %% [markdown]
# First the world of notebook 1, with $A = 2$. At $x = 0$ and $y = y^*(0)$ the hypergradient is $2 = -1 + 3$,
# direct plus implicit. With $\theta = 1/4$ the series for the 3 has the ratio $1 - \theta A = 1/2$: its
# partial sums are $\tfrac32, \tfrac32 + \tfrac34, \dots$, and after $Q + 1$ terms $3 \cdot 2^{-(Q+1)}$ is
# missing.

# %%
small = rc.worlds.Quadratic(A=2.0, B=1.0, c=1.0, P=1.0, D=4.0, a=1.0, b=-1.0)
sums = [neumann_hypergradient(small, [0.0], small.y_star(0.0), theta=0.25, Q=Q)[0] for Q in range(12)]
for Q in (0, 1, 2, 5, 11):
    print(f"Q = {Q:2d}   {sums[Q]:.6f}   missing {2 - sums[Q]:.6f} = 3/2^{Q + 1}")

# %% [markdown]
# **The bias law.** The same telescoping works for matrices:
# $\theta A \sum_{q \le Q} (I - \theta A)^q = I - (I - \theta A)^{Q+1}$, so the truncated sum is off by
# $\nabla_{xy} g\; A^{-1} (I - \theta A)^{Q+1} w$. Every eigenvalue $\lambda$ of $A$ contributes a factor
# $(1 - \theta\lambda)^{Q+1}$, and the smallest, $\mu$, dies last. Four worst cases multiplied give the bound
# of the paper,
#
# $$\Delta_Q = (1 - \theta\mu)^{Q+1}\, \frac{L_0 L_1}{\mu} .$$
#
# A product of four worst cases is usually far from the truth. The world `aligned` is made so that all four
# happen in the same direction, and there is a point at which the bias *is* $\Delta_Q$ (with $L_1$ read as the
# largest of the blocks of the Hessian).


# %%
def bias_of(world, y, theta, terms):
    """The bias law at y, and at any x, for Q = 1, ..., terms, as rows."""
    factor, rows = np.eye(world.d_y) - theta * world.A, []
    r = factor @ np.linalg.solve(world.A, world.D @ (y - world.b))
    for _ in range(terms):
        r = factor @ r
        rows.append(-world.B.T @ r)
    return np.array(rows)


def Delta_Q(constants, theta, Q):
    return rc.constants(constants, theta=theta, Q=Q)["Delta_Q"]


world = rc.worlds.aligned(mu=1.0, L_1=4.0)
point = rc.worlds.worst_point(world, 2.0)
block = world.constants(radius=2.0, reading="block")
terms, thetas = np.arange(1, 61), (1 / 20, 1 / 8, 1 / 4)
bias = {th: np.linalg.norm(bias_of(world, point[1], th, 60), axis=1) for th in thetas}
bound = {th: np.array([Delta_Q(block, th, Q) for Q in terms]) for th in thetas}
for th in thetas:
    print(
        f"theta = {th:5.3f}: bias/Delta_Q between {min(bias[th] / bound[th])} and {max(bias[th] / bound[th])}"
    )

# %% [markdown]
# In the figure the dots are the algorithm's own sum, minus the formula with the inverse, computed in doubles.
# That difference of nearly equal numbers has no digits left around $10^{-14}$; the closed form (lines) goes
# on. The circles are $\Delta_Q$.


# %%
def falling(thetas):
    """The bias over Q: by the law, by the sum itself, and Delta_Q."""
    x, y = point
    tilde = world.P @ (x - world.a) + world.B.T @ np.linalg.solve(world.A, world.D @ (y - world.b))
    _, axes = plt.subplots(figsize=(6.8, 3.8), layout="constrained")
    for th, colour in zip(thetas, COLOURS, strict=False):
        law = np.linalg.norm(bias_of(world, point[1], th, 200), axis=1)
        own = [neumann_hypergradient(world, *point, theta=th, Q=Q) for Q in range(1, 201, 6)]
        axes.semilogy(range(1, 201), law, color=colour, label=rf"$\theta\mu = {th:g}$")
        axes.semilogy(range(1, 201, 6), np.linalg.norm(own - tilde, axis=1), ".", color=colour)
        attained = [Delta_Q(block, th, Q) for Q in terms[::6]]
        axes.semilogy(terms[::6], attained, "o", color=colour, markerfacecolor="none", markersize=7)
    axes.plot([], [], "o", color=COLOURS[6], markerfacecolor="none", markersize=7, label=r"$\Delta_Q$")
    axes.set(xlabel="$Q$", ylabel="bias of the Neumann sum", ylim=(1e-19, 100))
    axes.legend(loc="lower left", fontsize=8)
    plt.show()


falling(thetas)

# %% [markdown]
# With a kernel, move $\theta$ yourself. Toward $1/L_1 = 1/4$ the lines get steeper.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
try:
    from ipywidgets import FloatSlider, interact
except ImportError:
    print("pip install ipywidgets, and there is a slider here.")
else:
    slider = FloatSlider(value=0.1, min=0.01, max=0.24, step=0.01, continuous_update=False)
    _ = interact(lambda theta: falling([theta]), theta=slider)

# %% [markdown]
# **How large may $\theta$ be?** Up to $1/L_1$ a larger $\theta$ is better, and $\Delta_Q$ holds. Beyond, the
# factor of the *largest* eigenvalue, $1 - \theta\lambda_{\max}$, turns negative. The series still converges,
# but once $\theta > 2/(\mu + \lambda_{\max})$ more slowly than $\Delta_Q$ says, which is then no longer a
# bound. From $2/\lambda_{\max}$ on there is no convergence, and the project refuses to run.

# %%
plain = random_quadratic(d_x=2, d_y=3, seed=1)
largest = plain.curvature[1]
y = plain.b + np.linalg.solve(plain.D, np.linalg.eigh(plain.A)[1][:, -1])  # grad_y f along lambda_max
constants = plain.constants(radius=float(np.linalg.norm(y - plain.b)))
ratios = {}
for share in (0.5, 0.9, 1.5):
    off = np.linalg.norm(bias_of(plain, y, share / largest, 60)[-1])
    ratios[share] = off / Delta_Q(constants, share / largest, 60)
    print(f"theta = {share:3.1f}/lambda_max: bias/Delta_Q at Q = 60 is {ratios[share]:.1e}")
try:
    neumann_hypergradient(plain, plain.a, y, theta=2 / largest, Q=60)
except ValueError as refusal:
    print(refusal)

# %% [markdown]
# **Samples.** An algorithm has no $A$ either, only samples $A_1, A_2, \dots$ of it. If every factor gets a
# *fresh* one, the mean of a product is the product of the means, and the stochastic sum has exactly the bias
# of the truncated one. The paper's estimator does that. Use one sample for all factors instead, and an error
# of second order in the noise appears that no number of terms removes. Both are averages over *all* outcomes
# of all signs here; nothing is estimated.


# %%
class OneForAll(StochasticNeumann):
    def sample(self, problem, bits):
        drawn = super().sample(problem, bits)
        return replace(drawn, factors=drawn.factors[:1] * self.Q)


noisy = random_quadratic(d_x=1, d_y=2, sigma_H=0.6, s_f=0.5, seed=2)
here = noisy.a + 1.0, noisy.b - 0.5
truncated = neumann_hypergradient(noisy, *here, theta=0.2, Q=4)
extra = {
    kind: rc.contract.estimate_outcomes(noisy, kind(theta=0.2, Q=4), here)
    for kind in (StochasticNeumann, OneForAll)
}
for kind, (mean, _, outcomes) in extra.items():
    print(f"{kind.__name__:17s} mean - truncated sum = {mean[0] - truncated[0]:+.2e}, {outcomes} outcomes")

# %% [markdown]
# **Three estimators.** The methods you will meet use three ways to the same mean:
#
# - **E1** draws $k$ uniformly below $N$ and takes the single product
# $N\theta \prod_{i \le k} (I - \theta A_i)\, w$;
# - **E2** adds all products up to $Q$, the paper's way;
# - **E3** keeps a variable $r \leftarrow r - \tau (A_i r - w)$ and never cuts anything.
#
# With $n = N = Q + 1$ terms they have the same bias. E1 saves half of the Hessian-vector products. The factor
# $N$ pays for it: its variance grows, in the end in proportion to $N$, while the other two level off.
# `estimate_moments` runs the estimators' own code on symbols, so these variances are exact.

# %%
from dataclasses import dataclass

from ratecert.contract import AuxiliaryGradient, HypergradientThrough


@dataclass(frozen=True)
class AuxiliarySteps:
    """E3: n steps of the auxiliary variable with (x, y) fixed, and the hypergradient through what they give."""

    n: int
    label: str = "xi_hat"

    def sample(self, problem, bits):
        steps = [AuxiliaryGradient().sample(problem, bits) for _ in range(self.n)]
        return steps, HypergradientThrough().sample(problem, bits)

    def evaluate(self, problem, sample, x, y, r):
        steps, last = sample
        for step in steps:
            r = r - 0.2 * AuxiliaryGradient().evaluate(problem, step, x, y, r)
        return HypergradientThrough().evaluate(problem, last, x, y, r)


def asked(way, n):
    """The estimator, and the point at which it is asked: grad_y f is not zero there."""
    point = rough.a + 1.0, rough.b - 0.5
    if way == "E1":
        return rc.contract.RandomTruncation(theta=0.2, N=n), point
    return (
        (StochasticNeumann(theta=0.2, Q=n - 1), point)
        if way == "E2"
        else (AuxiliarySteps(n), (*point, np.zeros(3)))
    )


rough = random_quadratic(d_x=3, d_y=3, sigma_H=0.6, sigma_J=0.3, seed=0)
counts, ways = [1, 2, 4, 8, 16, 32], ("E1", "E2", "E3")
moments = {(e, n): rc.contract.estimate_moments(rough, *asked(e, n)) for e in ways for n in counts}
variance = {e: np.array([np.trace(moments[e, n][1]) for n in counts]) for e in ways}
products = {e: [float(rc.contract.estimate_products(rough, *asked(e, n))) for n in counts] for e in ways}
_, axes = plt.subplots(figsize=(6.0, 3.6), layout="constrained")
for way, colour in zip(ways, COLOURS, strict=False):
    axes.loglog(counts, variance[way], "o-", color=colour, label=way)
    print(way, "products:", products[way])
axes.set(xlabel="terms $n$", ylabel="variance of the hypergradient")
axes.legend()
plt.show()

# %% [markdown]
# **The floor.** What does the bias do to a method? It moves the point at which the method rests. There
# $\nabla\Phi$ is not zero but exactly what the truncation leaves out, and $\|\nabla\Phi\|^2$ falls by
# $(1 - \theta\lambda_{\min})^2$ per term. No step size, no momentum, no number of devices lowers that floor.
# `stationary` is the limit $T \to \infty$ of LocalBSGM, and `floor_of` the closed form: $x$ solves
# $P(x - a) + B^\top A^{-1}(I - M)\,D\,(y^*(x) - b) = 0$ with $M = (I - \theta A)^{Q+1}$, and what is left of
# $\nabla\Phi$ there is $B^\top A^{-1} M D\,(y^*(x) - b)$.


# %%
def floor_of(world, theta, Q):
    one = np.eye(world.d_y)
    left_out = np.linalg.matrix_power(one - theta * world.A, Q + 1)
    back = np.linalg.solve(world.A, world.B).T
    used, lost = back @ (one - left_out) @ world.D, back @ left_out @ world.D
    x = world.a - np.linalg.solve(world.P + used @ back.T, used @ (world.y_star(world.a) - world.b))
    return float(np.sum((lost @ (world.y_star(x) - world.b)) ** 2))


quiet = random_quadratic(d_x=2, d_y=2, mu=1.0, L_1=4.0, seed=1)
steps = {"alpha": 1.0, "beta": 1.0, "rho_1": 0.01, "rho_2": 0.5, "p": 4, "theta": 0.2}
floors = {}
for Q in (1, 5, 10, 20, 50, 60):
    limit = rc.stationary(quiet, rc.methods.LocalBSGM(eta=0.1, Q=Q, **steps), K=4).gradient
    floors[Q] = limit, floor_of(quiet, 0.2, Q)
    print(f"Q = {Q:2d}   limit {limit:.6e}   closed form {floors[Q][1]:.6e}")
smaller = rc.stationary(quiet, rc.methods.LocalBSGM(eta=1e-4, Q=10, **steps), K=1000).gradient
per_term = np.log(floors[60][1] / floors[50][1]) / (10 * np.log(1 - 0.2))
print("exponent of 1 - theta mu per term:", per_term)

# %% [markdown]
# **What $Q$ must be.** Corollary 1 promises $O(1/\sqrt{KT})$ with $Q = O(\log\sqrt{KT})$. The $O$ hides a
# number that matters. The floor is of order $(1 - \theta\mu)^{2Q}$; to keep it below $(KT)^{-1/2}$ takes
# $Q = \text{unit} \cdot \log\sqrt{KT}$ with
#
# $$\text{unit} \ge \frac{1}{2 \log\frac{1}{1 - \theta\mu}} \approx \frac{1}{2\theta\mu} .$$
#
# For $\theta\mu = 0.1$ that is $4.75$. With the unit 1 the rate is lost: the measure then falls as
# $(KT)^{\log(1 - \theta\mu)} = (KT)^{-0.105}$.

# %%
steep = rc.worlds.scalar(mu=1.0, L_1=9.0, P=9.0, D=1e-3, b=100.0, s_f=0.3, s_g=1e-3)
L_tilde = rc.constants(steep, radius=1.0)["L_tilde"]


def with_unit(unit, terms, K=8):
    """K T, and the measure along Corollary 1 from the solution, where Q = unit log sqrt(KT) is these whole numbers."""
    found = {"KT": [], "measured": []}
    for Q in terms:
        T = int(np.exp(2 * Q / unit) * (1 - 1e-12) / K)
        units = {"rho_1": 0.1 / 9, "rho_2": 1 / 9, "Q": unit}
        run = rc.along("corollary-1", K=K, T=T, theta=0.1, units=units)
        assert run.solver.Q == Q
        x = steep.x_star
        exact = rc.expect(steep, run.solver, K=K, T=T, x0=x, y0=steep.y_star(x), times=[])
        found["KT"].append(float(K * T))
        found["measured"].append(exact.measure(L_tilde)[0])
    return found


runs = {u: with_unit(u, terms=[int(u * k) for k in (15, 18, 20, 21)]) for u in (1.0, 6.0)}
exponents = {}
_, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for (unit, run), colour in zip(runs.items(), (COLOURS[1], COLOURS[0]), strict=True):
    KT, measure = np.array(run["KT"]), np.array(run["measured"])
    exponents[unit] = np.log(measure[-1] / measure[-2]) / np.log(KT[-1] / KT[-2])
    name = rf"$Q = {unit:g}\,\log\sqrt{{KT}}$: exponent {exponents[unit]:.3f}"
    axes.loglog(KT, measure, "o-", color=colour, label=name)
axes.set(xlabel="$KT$", ylabel="measure along Corollary 1", title=r"$\theta\mu = 0.1$", ylim=(1e-7, 1))
axes.legend(fontsize=8)
plt.show()

# %% [markdown]
# ## Exercise
#
# In the aligned world above, $L_0 = 8$ and $L_1/\mu = 4$ on the ball of radius 2. How many terms make
# $\Delta_Q \le 10^{-6}$ with $\theta = 1/8$? Do it on paper first, then ask `Delta_Q`. How does the answer
# grow with the condition number $\kappa = L_1/\mu$?
#
# <details><summary>Solution</summary>
#
# $(7/8)^{Q+1} \cdot 32 \le 10^{-6}$ means $Q + 1 \ge \log(3.2 \cdot 10^7)/\log(8/7) = 129.4$, so $Q = 129$.
# As $\theta < 1/L_1$, the logarithm in the denominator is about $\theta\mu < 1/\kappa$: the number of terms
# grows in proportion to $\kappa$, and as $\log(1/\varepsilon)$.
#
# ```python
# enough = next(Q for Q in range(1000) if Delta_Q(block, 1 / 8, Q) <= 1e-6)
# print(enough, np.log(32e6) / np.log(8 / 7) - 1)
# assert enough == 129
# ```
#
# </details>

# %% [markdown]
# What was claimed, as assertions.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
np.testing.assert_allclose(2 - np.array(sums), 3 / 2 ** np.arange(1, 13), rtol=1e-12)
assert all(np.allclose(bias[th], bound[th], rtol=1e-12, atol=0) for th in thetas)  # attained
assert ratios[0.5] < ratios[1.5]
assert ratios[0.9] < 1 < ratios[1.5]
assert abs(extra[StochasticNeumann][0] - truncated) < 1e-14 < 1e-3 < abs(extra[OneForAll][0] - truncated)
for n in counts:
    np.testing.assert_allclose(moments["E1", n][0], moments["E2", n][0], rtol=1e-9)
    np.testing.assert_allclose(moments["E3", n][0], moments["E2", n][0], rtol=1e-9)
assert products["E1"][-1] == products["E2"][-1] / 2 == 31 / 2
assert variance["E1"][-1] / variance["E1"][-2] > 2
assert max(variance[e][-1] / variance[e][-2] for e in ("E2", "E3")) < 1.05
assert all(abs(limit / closed - 1) < 1e-6 for limit, closed in floors.values())
assert abs(smaller / floors[10][1] - 1) < 1e-6
assert abs(per_term - 2) < 1e-3
assert abs(exponents[6.0] + 0.5) < 1e-3
assert abs(exponents[1.0] - np.log(0.9)) < 1e-3
assert 6.0 > 1 / (2 * np.log(1 / 0.9)) > 1.0
