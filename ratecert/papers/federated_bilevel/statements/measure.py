"""What all three theorems share: their assumptions, and the left side.

That is the squared hypergradient and the squared tracking error, averaged over t < T.
"""

from typing import Any

COMMON: dict[str, Any] = {
    "assumptions": ("assumption-1", "assumption-2", "assumption-3"),
    "measure": r"\frac{1}{T}\sum_{t=0}^{T-1}\Big(\mathbb{E}[\|\nabla\Phi(\bar{x}_t)\|^2]"
    r"+\tilde{L}^2\,\mathbb{E}[\|\bar{y}_t-y^*(\bar{x}_t)\|^2]\Big)",
    "measure_text": "1/T Σ_{t<T} ( E‖∇Φ(x̄_t)‖² + L̃² E‖ȳ_t - y*(x̄_t)‖² )",
    "measure_units": "f^2 x^-2",
}
