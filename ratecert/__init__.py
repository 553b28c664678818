"""ratecert: convergence-rate claims, checked by machine on problems whose truth is known in closed form."""

__version__ = "0.1.0"
