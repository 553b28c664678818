"""The power of the verifier: wrong algorithms and wrong statements, and which claims see that they are wrong."""
