"""The paper as data. So far: its notation, one name per symbol, which the other packages are held against."""

from theory.symbols import ALGORITHM, CONSTANTS, WORLD, Symbol

__all__ = ["ALGORITHM", "CONSTANTS", "WORLD", "Symbol"]
