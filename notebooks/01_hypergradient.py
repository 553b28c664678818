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
# # 1. The bilevel problem and its hypergradient
#
# A bilevel problem is an optimisation with another one inside: $\min_x \Phi(x) = f(x, y^*(x))$, where $y^*(x)$ is
# itself the answer to a question, $y^*(x) = \arg\min_y g(x, y)$. At the end of this notebook you will have seen
# what the gradient of $\Phi$ consists of, on a problem so small that you can check every number in your head; you
# will know what goes wrong when half of it is forgotten, and what it costs to evaluate it at a $y$ that is not
# quite $y^*(x)$.
#
# The world of this notebook has one $x$ and one $y$:
#
# $$g(x, y) = y^2 - y\,(x + 1), \qquad f(x, y) = \tfrac12 (x - 1)^2 + 2\,(y + 1)^2 .$$
#
# In the project's letters that is $A = 2$, $B = 1$, $c = 1$ below, and $P = 1$, $D = 4$, $a = 1$, $b = -1$ above.

# %%
import matplotlib.pyplot as plt
import numpy as np

import ratecert as rc

# %matplotlib inline
plt.rcParams.update(rc.style.STYLE)
COLOURS = rc.style.COLOURS
world = rc.worlds.Quadratic(A=2.0, B=1.0, c=1.0, P=1.0, D=4.0, a=1.0, b=-1.0)

# %% [markdown]
# The lower level is a parabola in $y$ with its minimum at $y^*(x) = (x + 1)/2$. Put that into $f$:
#
# $$\Phi(x) = \tfrac12 (x - 1)^2 + \tfrac12 (x + 3)^2, \qquad \nabla\Phi(x) = 2x + 2, \qquad x^* = -1 .$$
#
# A *world* of this project knows all of this in closed form. Compare with your own arithmetic.

# %%
print("    x   y*(x)   Phi(x)   grad Phi(x)")
for x in (-3.0, -1.0, 0.0, 1.0):
    print(
        f"{x:5.1f}   {world.y_star(x)[0]:5.2f}   {world.objective(x):6.2f}   {world.hypergradient(x)[0]:7.2f}"
    )
print("x_star =", world.x_star)

# %% [markdown]
# Now as a picture. On the left are the contours of $g$. Walk up a vertical line, that is, fix $x$ and vary $y$: the
# contours are *vertical* exactly where $\partial g/\partial y = 0$, and these places form the line $y^*(x)$. The
# upper level may choose $x$ freely but never leaves that line. What it sees along the line is $\Phi$, on the right,
# and the hypergradient is the slope of the tangent there.


# %%
def picture(points):
    _, (left, right) = plt.subplots(1, 2, figsize=(9.2, 3.8), layout="constrained", sharex=True)
    x, y = np.linspace(-4, 3, 141), np.linspace(-2.5, 3.0, 141)[:, None]
    levels = [-4, -2.25, -1, -0.25, 0.25, 1, 2.25, 4, 6.25, 9, 12.25]
    left.contour(x, y[:, 0], y**2 - y * (x + 1), levels, cmap="Greys_r", linestyles="solid", linewidths=0.9)
    left.plot(x, world.y_star(x[None])[0], color=COLOURS[0], label="$y^*(x)$")
    right.plot(x, world.objective(x[None]), color=COLOURS[0], label=r"$\Phi(x) = f(x, y^*(x))$")
    for at, colour in zip(points, COLOURS[1:], strict=False):
        near = at + np.array([-1.0, 1.0])
        left.plot(at, world.y_star(at)[0], "o", color=colour)
        right.plot(near, world.objective(at) + world.hypergradient(at)[0] * (near - at), color=colour)
        right.plot(at, world.objective(at), "o", color=colour, label=f"$x = {at:g}$")
    left.set(xlabel="$x$", ylabel="$y$", title="contours of $g(x, y)$", xlim=(-4, 3))
    right.set(xlabel="$x$", title=r"$\Phi$, and tangents of slope $\nabla\Phi(x)$", ylim=(0, 20))
    right.legend(loc="upper center", ncols=2, fontsize=8)
    left.legend(loc="upper left", fontsize=8)
    plt.show()


picture([-3.0, -1.0, 1.0])

# %% [markdown]
# With a live kernel the next cell gives you a slider. Move $x$ through $-1$ and watch the tangent turn over; the
# point on the left never leaves the line. (Without `ipywidgets` the picture above is all there is, and nothing is
# lost.)

# %% jupyter={"source_hidden": true} tags=["hide-input"]
try:
    from ipywidgets import FloatSlider, interact

    interact(lambda x: picture([x]), x=FloatSlider(value=0.0, min=-3.0, max=2.0, step=0.25))
except ImportError:
    print("no ipywidgets: see the figure above")

# %% [markdown]
# **Lemma 1.** If $x$ moves, $f$ changes directly, and it changes because $y^*$ follows. The derivative of $y^*$
# comes from differentiating $\nabla_y g(x, y^*(x)) = 0$, the implicit function theorem:
#
# $$
# \nabla\Phi(x) = \underbrace{\nabla_x f}_{\text{direct}} -
# \underbrace{\nabla_{xy} g\,[\nabla_{yy} g]^{-1} \nabla_y f}_{\text{implicit}} \qquad \text{at } (x, y^*(x)).
# $$
#
# `exact_hypergradient` does this from the problem's own oracles, the ones an algorithm calls; `world.hypergradient`
# is the closed form. At $x = 0$ the direct term is $-1$ and the implicit term adds $+3$. `Silent` stands for
# samples without noise.

# %%
silent = rc.contract.Silent()
x = np.array([[0.0]])
direct = world.grad_x_f(world.sample_f(silent), x, world.y_star(x)).item()
total = rc.contract.exact_hypergradient(world, x[:, 0])[0]
print(f"direct {direct:+.1f}, implicit {total - direct:+.1f}, together {total:+.1f}")
print(f"closed form {world.hypergradient(0.0)[0]:+.1f}")

# %% [markdown]
# Is Lemma 1 right? Ask $\Phi$ itself. The forward difference $(\Phi(x + h) - \Phi(x))/h$ of a quadratic is off by
# exactly $\tfrac12 \Phi'' h$, here $h$ because $\Phi'' = 2$; but it subtracts two numbers that are nearly equal,
# and the rounding of doubles, $2^{-52}$ of $\Phi$, is divided by $h$. So the error falls with $h$, turns around
# near $h = 10^{-8}$, and never gets to the sixteen digits of the exact formula.

# %%
h = 10.0 ** -np.arange(0, 15)
forward = (world.objective(np.array([h])) - world.objective(0.0)) / h
off = np.abs(forward - world.hypergradient(0.0)[0])
for each, error in zip(h[::2], off[::2], strict=True):
    print(f"h = {each:.0e}   error {error:.1e}")

# %% [markdown]
# **Half of it.** The implicit term needs a Hessian and its inverse, so one is tempted to leave it out and to follow
# $\nabla_x f(x, y^*(x)) = x - 1$ alone: fit the lower level, then take a step on $f$ as if $y$ were a constant. The
# right-hand picture shows what that does. Between $x^* = -1$ and $a = 1$ the two directions have opposite signs:
# descent along the wrong one walks *away* from the solution and stops at $x = 1$, where $\Phi = 8$, twice the
# minimum of $4$.

# %%
grid = np.linspace(-3, 3, 61)[None]
neglected = world.grad_x_f(world.sample_f(silent), grid, world.y_star(grid))[0]
central = [(world.objective(x + 1e-4) - world.objective(x - 1e-4)) / 2e-4 for x in grid[0, ::6]]
_, (left, right) = plt.subplots(1, 2, figsize=(9.2, 3.8), layout="constrained")
left.loglog(h, off, "o", color=COLOURS[1], label="forward difference")
left.loglog(h, h, "--", color=COLOURS[6], label=r"$\frac{1}{2}\,\Phi'' h$")
left.set(xlabel="$h$", ylabel=r"error of $\nabla\Phi(0)$")
right.plot(grid[0], world.hypergradient(grid)[0], color=COLOURS[0], label=r"$\nabla\Phi$, Lemma 1")
right.plot(grid[0, ::6], central, "o", color=COLOURS[1], label="central difference")
right.plot(grid[0], neglected, color=COLOURS[3], label=r"$\nabla_x f$ alone")
right.axhline(0, color=COLOURS[6], linewidth=0.8)
right.axvspan(-1, 1, color=COLOURS[3], alpha=0.12, linewidth=0, label="opposite signs")
right.set(xlabel="$x$", ylabel="direction")
for axes in (left, right):
    axes.legend(fontsize=8)
plt.show()

# %% [markdown]
# **A stale $y$.** No algorithm has $y^*(x)$; it has a $y$ that runs behind. If Lemma 1 is evaluated at $(x, y)$,
# the error is at most $\tilde L\,|y - y^*(x)|$ with a constant $\tilde L$ of the paper's assumptions. Here it is
# exactly $\tfrac{B}{A} D\,|y - y^*| = 2\,|y - y^*|$. This is why every theorem bounds *two* quantities at once, the
# `gradient` $\mathbb E\|\nabla\Phi\|^2$ and the `tracking` $\mathbb E\|y - y^*(x)\|^2$: an algorithm that is to
# make the first small has to keep the second small as well.


# %%
def lemma_1(x, y):
    """The formula of Lemma 1 at any (x, y), in this world."""
    return world.P @ (x - world.a) + world.B.T @ np.linalg.solve(world.A, world.D @ (y - world.b))


behind = np.array([-1.0, -0.1, 0.1, 1.0])
at = np.array([0.3])
errors = [lemma_1(at, world.y_star(at) + d) - world.hypergradient(at) for d in behind]
stale = np.concatenate(errors) / behind
L_tilde = rc.constants(world, radius=1.0)["L_tilde"]
print("error over y - y*:", stale, "  L_tilde:", round(L_tilde, 2))

# %% [markdown]
# Nothing was special about one dimension. In a random world with $x \in \mathbb R^3$, $y \in \mathbb R^4$ the
# inverse is that of a matrix, and central differences, which are exact on quadratics but for rounding, agree in
# every coordinate.

# %%
wide = rc.worlds.random_quadratic(d_x=3, d_y=4, seed=7)
x, step = np.array([0.4, -1.0, 2.0]), 1e-3
differences = [(wide.objective(x + step * e) - wide.objective(x - step * e)) / (2 * step) for e in np.eye(3)]
gap = np.abs(np.array(differences) / rc.contract.exact_hypergradient(wide, x) - 1).max()
print("exact      ", rc.contract.exact_hypergradient(wide, x))
print("differences", np.array(differences), f"  largest relative gap {gap:.0e}")

# %% [markdown]
# Nor about convexity. In the world `wavy` the lower level follows a wave in $x$, so $\Phi$ has hills. Its
# stationary points are known in closed form: the minimum that counts, two minima that do not, and the maxima
# between them. The hypergradient vanishes at each.

# %%
bent = rc.worlds.wavy(dial=2.0)
places = bent.stationary_offsets(within=6.0)
slopes = [abs(rc.contract.exact_hypergradient(bent, [v])[0]) for v in places]
grid = np.linspace(-6, 6, 400)[None]
_, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
axes.plot(grid[0], bent.objective(grid), color=COLOURS[0], label=r"$\Phi(x)$")
axes.plot(grid[0], bent.hypergradient(grid)[0], color=COLOURS[1], linewidth=1, label=r"$\nabla\Phi(x)$")
axes.plot(places, bent.objective(places[None]), "o", color=COLOURS[2], label=r"$\nabla\Phi = 0$")
axes.axhline(0, color=COLOURS[6], linewidth=0.8)
axes.set(xlabel="$x$", ylim=(-12, 24))
axes.legend(ncols=3, loc="upper center", fontsize=8)
plt.show()

# %% [markdown]
# ## Exercise
#
# Leaving the implicit term out is not always fatal. Keep everything in the world but $b$, the $y$ that the upper
# level would like. For which $b$ does descent along $\nabla_x f$ alone come to rest at the right place? Check that
# $x^*$ is where you say. (You will meet these worlds again: notebook 4 calls them worlds *without tension*, and one
# method has linear speedup only there.)
#
# <details><summary>Solution</summary>
#
# The wrong direction vanishes at $x = a$. The right one differs from it by the implicit term
# $\tfrac{B}{A} D\,(y^*(x) - b)$, which vanishes at $x = a$ if and only if $b = y^*(a) = 1$: the two levels want the
# same $y$ there.
#
# ```python
# agreed = rc.worlds.Quadratic(A=2.0, B=1.0, c=1.0, P=1.0, D=4.0, a=1.0, b=world.y_star(1.0))
# print(agreed.x_star)
# assert agreed.x_star == [1.0]
# ```
#
# </details>

# %% [markdown]
# What was claimed, as assertions.

# %% jupyter={"source_hidden": true} tags=["hide-input"]
assert world.x_star == [-1.0]
assert world.objective(1.0) == 2 * world.objective(-1.0) == 8.0
assert (direct, total) == (-1.0, 2.0)
np.testing.assert_allclose(off[:6], h[:6], rtol=1e-3)  # Phi'' h / 2, before rounding is felt
assert off.min() > 1e-12  # and never sixteen digits
np.testing.assert_allclose(central, world.hypergradient(np.linspace(-3, 3, 61)[None, ::6])[0], atol=1e-8)
np.testing.assert_allclose(stale, 2.0, rtol=1e-12)
assert L_tilde >= 2.0
assert gap < 1e-8
assert len(places) == 5
assert max(slopes) < 1e-12
