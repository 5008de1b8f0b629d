"""Boards made to bring about what is rare on a board made to be played."""

from __future__ import annotations

# Narrow ways and a card on most squares: pawns meet, meditate and share squares.
ALLEY = """\
+---+---+---+---+---+---+---+---+
| S   S   S | 1 | ?   ? | ?   ?
+   +   +   +   +   +   +   +   +
| S   S   S   ?   ? | ?   ? | ?
+   +   +   +---+---+---+---+   +
| S   S   S | F | ?   F   ?   ?
+---+   +---+   +   +---+---+---+
| 2   ? | ?   ?   2 | ?   ?   ?
+---+   +   +---+---+   +---+   +
| ?   ?   ? | F   F   ? | F   F
+   +---+---+   +---+---+   +   +
| 1   F   ? | ?   F   ?   ? | F
+---+---+   +   +---+---+   +---+
| ?   ?   ?   ? | F   F   D   D
+   +---+---+---+   +---+   +   +
| ?   ?   F   ?   ? | A | D   D
+   +   +   +   +   +   +   +   +
"""
# A Safe Room at the door of the Dojo and all else out of reach: it fails the design checks, and two
# pawns meet again and again where only the Dojo is left.
LANE = """\
+---+---+---+---+---+---+---+---+
| .   .   .   .   .   . | S | .
+   +   +   +   +   +   +   +   +
| .   .   .   .   .   . | S | .
+   +   +   +   +   +   +   +   +
| .   .   .   .   .   . | S | .
+   +   +   +   +   +   +   +   +
| .   .   .   .   .   . | S | .
+   +   +   +   +   +   +   +   +
| .   .   .   .   .   . | ? | .
+   +   +   +   +   +   +   +   +
| .   .   .   .   .   . | ? | .
+   +   +   +   +   +---+   +---+
| .   .   .   .   .   . | D   D
+   +   +   +   +   +   +   +   +
| .   .   .   .   .   . | D   D
+   +   +   +   +   +   +   +   +
"""
# Fatica around tunnels at the entrances: the Dojo closes and opens again in mid-move.
GATE = """\
+---+---+---+---+---+---+---+---+
| S   S   S | .   .   .   2   .
+   +   +   +   +   +   +   +   +
| S   S   S   .   .   A   .   .
+   +   +   +   +   +   +   +   +
| S   S   S | .   ?   .   .   .
+---+   +---+   +   +   +   +   +
| .   .   .   ?   .   ?   .   .
+   +   +   +   +   +---+   +   +
| .   P   ?   .   ?   F   F   F
+   +   +   +   +   +   +   +   +
| .   .   .   ?   F   F   1   F
+   +   +   +   +   +   +   +---+
| 2   K   .   .   F   1   D   D
+   +   +   +   +   +   +   +   +
| .   .   .   .   F   F | D   D
+   +   +   +   +   +   +   +   +
"""
# A square with no way out but a tunnel and the Dojo (row 5, column 6): it fails the design checks
# and boxes pawns in.
CELL = """\
+---+---+---+---+---+---+---+---+
| S   S   S | .   .   .   .   .
+   +   +   +   +   +   +   +   +
| S   S   S   .   ?   A   .   .
+   +   +   +   +   +   +   +   +
| S   S   S | .   .   .   .   1
+---+   +---+   +   +---+---+   +
| .   .   ?   .   ?   .   ? | .
+   +   +   +   +   +---+---+   +
| .   P   .   F   F   .   ?   .
+   +   +   +   +   +---+---+   +
| .   .   ?   .   .   . | 2 | .
+   +   +   +   +   +---+   +---+
| .   K   .   ?   .   F   D   D
+   +   +   +   +   +   +   +   +
| .   .   2   .   1   . | D   D
+   +   +   +   +   +   +   +   +
"""
# No tunnel anywhere.
PLAIN = """\
+---+---+---+---+---+---+---+---+
| S   S   S | .   .   .   .   .
+   +   +   +   +   +   +   +   +
| S   S   S   .   ?   A   .   .
+   +   +   +   +   +   +   +   +
| S   S   S | .   .   .   ?   .
+---+   +---+   +   +   +   +   +
| .   .   ?   .   ?   .   ?   .
+   +   +   +   +   +   +   +   +
| .   P   .   F   F   .   ?   .
+   +   +   +   +   +   +   +   +
| .   .   ?   .   .   .   ?   .
+   +   +   +   +   +   +   +---+
| .   K   .   ?   .   F   D   D
+   +   +   +   +   +   +   +   +
| .   .   ?   .   ?   . | D   D
+   +   +   +   +   +   +   +   +
"""
