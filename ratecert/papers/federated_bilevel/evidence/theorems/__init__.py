"""Both sides of a theorem's inequality: worlds and steps inside its conditions, exact measure, bound term by term."""
