"""The left side of all three theorems: squared hypergradient and squared tracking error, averaged over t < T."""

LATEX = (
    r"\frac{1}{T}\sum_{t=0}^{T-1}\Big(\mathbb{E}[\|\nabla\Phi(\bar{x}_t)\|^2]"
    r"+\tilde{L}^2\,\mathbb{E}[\|\bar{y}_t-y^*(\bar{x}_t)\|^2]\Big)"
)
TEXT = "1/T Σ_{t<T} ( E‖∇Φ(x̄_t)‖² + L̃² E‖ȳ_t - y*(x̄_t)‖² )"
UNITS = "f^2 x^-2"
ASSUMPTIONS = ("assumption-1", "assumption-2", "assumption-3")
