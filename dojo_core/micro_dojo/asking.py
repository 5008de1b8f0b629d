"""Plays with people: told up to the step that waits for one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dojo_core.game import Answer, Event, Question, Setup
from dojo_core.kernel import wrapping_arithmetic
from dojo_core.micro_dojo.columns import STRATEGIES
from dojo_core.micro_dojo.components import SEATS
from dojo_core.micro_dojo.play import lay_play, play_on, room_for_states, told_step
from dojo_core.micro_dojo.tables import END_TURN, PLAY_ROW, SEAT_ROW
from dojo_core.micro_dojo.trace import (
    building_names,
    end_event,
    legal_steps,
    setup_event,
    tell_step,
    turn_event,
)
from dojo_core.micro_dojo.words import step_number
from dojo_core.playing import name_people

STEP = "step"


def ask(
    setup: Setup, seed: int, play: int, seats: Sequence[int], answers: Sequence[Answer]
) -> tuple[list[Event], Question | None]:
    """Tell a play in which people sit on `seats`, see `dojo_core.game.People`."""
    with wrapping_arithmetic():
        asked = _Play(setup, seed, play, seats)
        return asked.go_on(answers)


class _Play:
    """A play on its way: what lies on the table, and what has been told."""

    def __init__(self, setup: Setup, seed: int, play: int, seats: Sequence[int]) -> None:
        self.tables, self.seats = setup.tables, seats
        self.laid = self.tables.table.copy()
        self.laid[0].telling = 1
        for seat in seats:
            self.laid[0].player[seat] = len(STRATEGIES)
        self.states = room_for_states()
        self.rows = np.zeros(1, PLAY_ROW).view(np.recarray)
        self.seat_rows = np.zeros((1, SEATS), SEAT_ROW).view(np.recarray)
        lay_play(self.tables.rules, self.laid, self.states, seed, play)
        self.events = [setup_event(setup, self.state, seed, play), turn_event(self.state)]
        name_people(self.events[0], seats)

    @property
    def state(self) -> np.record:
        """What lies on the table."""
        state: np.record = self.states[0]
        return state

    def go_on(self, answers: Sequence[Answer]) -> tuple[list[Event], Question | None]:
        """Play until an answer is missing, or to the end."""
        answered = 0
        while not self.state.over:
            seat = int(self.state.seat)
            if seat not in self.seats:
                for step in self.planned():
                    self.take(step)
                continue
            legal = legal_steps(self.tables, self.states)
            if len(legal) == 1:
                self.take(step_number(legal[0]))
            elif answered < len(answers) and self.fits(answers[answered].value, legal):
                self.take(step_number(answers[answered].value))
                answered += 1
            else:
                options = tuple(self.completable(legal))
                return self.events, Question(seat, STEP, options, answered, self.table())
        play_on(self.tables.rules, self.laid, self.states, self.rows, self.seat_rows)
        return [*self.events, end_event(self.rows[0], self.seat_rows[0])], None

    def planned(self) -> list[int]:
        """Return the steps of the turn that a player of the game plays now."""
        laid, states = self.laid.copy(), self.states.copy()
        play_on(self.tables.rules, laid, states, self.rows.copy(), self.seat_rows.copy())
        steps: list[int] = laid[0].log[self.laid[0].steps : laid[0].steps].tolist()
        self.laid[0].streams = laid[0].streams
        return steps

    def take(self, step: int) -> None:
        """Take a step and tell it."""
        self.events.extend(tell_step(self.tables, self.laid, self.states, step))
        if step == END_TURN and not self.state.over:
            self.events.append(turn_event(self.state))

    def fits(self, step: Any, legal: Sequence[list[Any]]) -> bool:
        """Tell whether a step may be taken now, and the turn completed after it."""
        return step in legal and any(self.completable([step]))

    def completable(self, legal: Sequence[list[Any]]) -> Iterator[list[Any]]:
        """Yield the steps from which the turn can be completed, as it cannot from some Guards."""
        guarding = self.state.guarding or any(step[0] == "guard_house" for step in legal)
        laid = self.laid.copy()
        laid[0].telling = 0
        for step in legal:
            if not guarding or self.leads_on(laid, self.states[:1], step):
                yield step

    def leads_on(self, laid: Any, states: Any, step: list[Any]) -> bool:
        """Tell whether a turn can be completed after a step."""
        seat = states[0].seat
        after = states.copy()
        told_step(self.tables.rules, laid, after, step_number(step))
        if after[0].over or after[0].seat != seat:
            return True
        return any(self.leads_on(laid, after, more) for more in legal_steps(self.tables, after))

    def table(self) -> dict[str, Any]:
        """Return what lies on the table, for whoever is asked; nothing is hidden in this game."""
        state = self.state
        return {
            **turn_event(state),
            "owned": [building_names(int(owned)) for owned in state.owned],
            "market": building_names(int(state.market)),
            "triggered": int(state.objective),
            "influence": 1 - int(state.first) if state.influence else None,
        }
