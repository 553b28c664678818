"""What an algorithm, a problem and a result are; every engine and every method keeps to it."""
