"""What knows nothing of conversations: things by name, answers that are remembered, names that were meant."""
