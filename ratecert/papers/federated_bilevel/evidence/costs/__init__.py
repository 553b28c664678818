"""What accuracy costs: iterations, samples and rounds, by exact moments and by counting."""
