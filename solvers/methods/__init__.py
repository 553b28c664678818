"""Methods, by family: pure steps with hyperparameters, on the one base of base.py; no engine is known here."""
