"""Every exception that ratecert raises on purpose. Anything else that comes out of it is a bug.

    UserError         a call, a file or a command line that cannot be meant: one sentence with the name, the value, what
                      is allowed and what to do next. It is a ValueError, too.
    UndecidedError    the call was sound, and no number can be given: a run diverges, a limit does not exist. It is an
                      ArithmeticError, too.

    RatecertError     what all of them are, those included that another program or a file causes (UnwritableError) and
                      those that say which class of algorithms an engine takes (NotAffineError, NotPolynomialError)
    PrecisionWarning  a warning: a number was given and may be worse than it should be

The command `ratecert` shows both as one sentence and ends with exit code 2. In a claim, UndecidedError makes the
verdict undecided. A bug ends with exit code 70.
"""


class RatecertError(Exception):
    """What ratecert raises on purpose."""


class UserError(RatecertError, ValueError):
    """Something that cannot be meant; the message says what is allowed."""


class UserTypeError(UserError, TypeError):
    """Something of the wrong kind: a class in the place of an instance, an object without the methods of a problem."""


class UndecidedError(RatecertError, ArithmeticError):
    """There is no number to give; the message says why."""


class BugError(Exception):
    """Something inside a claim that should not have happened; `details` is the traceback.

    Not a RatecertError: nobody raises it on purpose, and nothing but the command line handles it.
    """

    def __init__(self, sentence: str, details: str) -> None:
        super().__init__(sentence)
        self.details = details


# Papers and statements.


class OutsideConditionsError(UserError):
    """A theorem was asked about where it says nothing."""


class StaleErratumError(UserError):
    """What an erratum calls printed is not printed there."""


class EmptyConeError(UserError):
    """No parameters, or only bounded ones, satisfy the constraints."""


class UnderivableError(UserError):
    """The order of an expression is not known here."""


class VanishingDivisorError(UnderivableError, ZeroDivisionError):
    """One over something that is smaller than every power."""


# Algorithms and engines.


class NotAffineError(RatecertError, TypeError):
    """The algorithm or the world leaves the class for which second moments close."""


class NotPolynomialError(RatecertError, TypeError):
    """The step uses its step size in a way that is not a polynomial."""


class DivergedError(UndecidedError):
    """An iterate left the range of double precision."""


class NoLimitError(UndecidedError):
    """The second moments do not converge."""


class NoCertificateError(UndecidedError):
    """No bound could be certified; the reason is the message."""


class PrecisionWarning(UserWarning):
    """A result is not good to 1e-6."""


# Files, machines and other programs.


class UnwritableError(RatecertError, OSError):
    """A file or folder that was to be written and cannot be; `filename` and `strerror` say which and why."""


class ResultsError(UserError):
    """A results.json that is not one."""


class WitnessError(UserError):
    """Something that is no witness; the message names the key."""


class NotExactError(UserError):
    """A counterexample that cannot be written in fractions as it is; the message says why."""


class ClusterError(UserError):
    """A cluster that cannot do the work, or no longer."""


class BaselineError(UserError):
    """A file that is no baseline of rates; the sentence says which, why, and what to do."""


class NothingTriedError(UserError):
    """A search in which no world was inside the conditions of the statement: there is nothing to conclude."""


class PaperError(RatecertError):
    """A mistake in the code of a paper from outside, met while it was running."""
