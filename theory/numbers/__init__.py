"""Statements in numbers: a bound at given values, and the largest steps inside its conditions."""
