"""Plays a game for every point of a grid, stores the rows and answers questions about them."""
