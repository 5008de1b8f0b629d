"""The games: their rules, their options and the compiled code that plays them."""
