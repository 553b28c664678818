"""On the Convergence of Momentum-Based Algorithms for Federated Bilevel Optimization Problems."""
