"""The story of a play: every event is told, in every language, from the events alone."""

import re
import tomllib
from pathlib import Path

import pytest

from dojo_core.errors import DojoError
from dojo_core.labirinto import story
from dojo_core.labirinto.columns import CARDS
from dojo_core.labirinto.options import OPTIONS

PHRASES = tomllib.loads(story.PHRASES.read_text(encoding="utf-8"))
PRINTED = {option.name: option.default for option in OPTIONS} | {"board": "quadrant"}
TRACES_MD = Path(story.__file__).with_name("TRACES.md").read_text(encoding="utf-8")
# The events of the binding document: first cell of the rows of its table.
EVENTS = [
    name for name in re.findall(r"^\| `(\w+)` \|", TRACES_MD, re.MULTILINE) if name != "event"
]


def setup(track=(4, 10, 2), deck=("Kiai", "Sfida"), links=(), **options):
    return {
        "event": "setup",
        "game": "labirinto",
        "engine": "abc",
        "seed": 1,
        "play": 7,
        "options": PRINTED | options,
        "board": {"lines": ["+---+---+", "| S   1 |", "+---+---+"], "links": list(links)},
        "players": ["greedy", "random", "wanderer"],
        "corners": [0, 1, 2],
        "first": 0,
        "squares": [[0, 0], [4, 5], [15, 15]],
        "track": list(track),
        "deck": list(deck),
    }


def turn(seat=0, number=4, rounds=2):
    return {"event": "turn", "seat": seat, "turn": number, "round": rounds}


def roll(*dice, seat=0):
    return {"event": "roll", "seat": seat, "dice": list(dice)}


def step(*to, remaining=0, extra=False, seat=0):
    return {"event": "step", "seat": seat, "to": list(to), "remaining": remaining, "extra": extra}


def stop(why="done", remaining=0, seat=0):
    return {"event": "stop", "seat": seat, "remaining": remaining, "why": why}


def choice(kind, options, answer, seat=0):
    return {"event": "choice", "seat": seat, "kind": kind, "options": options, "answer": answer}


def kumite(kind="walk", dice=(5, 3), bonuses=(0, 2), bout=1):
    return {
        "event": "kumite",
        "attacker": 0,
        "defender": 1,
        "square": [4, 5],
        "kind": kind,
        "bout": bout,
        "dice": list(dice),
        "bonuses": list(bonuses),
    }


def result(totals, winner):
    return {
        "event": "kumite_result",
        "attacker": 0,
        "defender": 1,
        "totals": list(totals),
        "winner": winner,
    }


def track(seat, before, after, why="kumite"):
    return {"event": "track", "seat": seat, "from": before, "to": after, "why": why}


def exam_result(winner, bouts=(0, 1), cost=3, uke=False):
    fought = {"challenger": 0, "defender": 1, "bouts": list(bouts)}
    return {"event": "exam_result", **fought, "winner": winner, "cost": cost, "uke": uke}


def end(winner=0, reason="exam", rounds=12, turns=35, seconds=3000, **play):
    counts = {"kumite": 3, "kumite_upset": 1, "exams_started": 1, "starts": 2, "cards": 1}
    return {
        "event": "end",
        "winner": winner,
        "reason": reason,
        "rounds": rounds,
        "turns": turns,
        "play": counts | {"seconds": seconds} | play,
        "seats": [{"track": 15}, {"track": 17}, {"track": 0}],
    }


def told(*events, language="en", setting=None):
    """Return the lines after the setup."""
    setting = setting or setup()
    before = list(story.describe([setting], language))
    return list(story.describe([setting, *events], language))[len(before) :]


def heard(*events, setting):
    """Return what `told` does, or the refusal of a trace that cannot be told."""
    try:
        return told(*events, setting=setting)
    except DojoError as refusal:
        return str(refusal)


# One case an event or a branch of it: the events, then the line they must give in each language.
CASES = {
    "turn": (
        [turn(), roll(3, 4)],
        "4. P1 (Yellow 4) rolls 3 + 4 = 7",
        "4. P1 (Gialla 4) tira 3 + 4 = 7",
    ),
    "one die": ([turn(), roll(5)], "4. P1 (Yellow 4) rolls 5", "4. P1 (Gialla 4) tira 5"),
    "round": ([turn()], "Round 2", "Giro 2"),
    "first round": (
        [turn(number=1, rounds=1)],
        "Round 1: no Kumite before everybody has had a turn",
        "Giro 1: niente Kumite prima che tutti abbiano giocato un turno",
    ),
    "first round with Kumite": ([turn(number=1, rounds=1)], "Round 1", "Giro 1"),
    "skip": (
        [turn(2), {"event": "skip", "seat": 2}],
        "4. P3 (White 2) skips the turn, meditating, and is a pawn like any other again afterwards",
        "4. P3 (Bianca 2) salta il turno, in meditazione, e alla fine torna una pedina come le"
        " altre",
    ),
    "roll again": (
        [turn(), roll(1, 1), step(0, 1), step(0, 2), stop(), roll(2, 2)],
        "    rolls for another full move: 2 + 2 = 4",
        "    tira per un altro movimento completo: 2 + 2 = 4",
    ),
    "walk and square": (
        [
            turn(),
            roll(1, 1),
            step(0, 1, remaining=1),
            step(0, 2),
            stop(),
            {"event": "square", "seat": 0, "code": "A"},
        ],
        "    walks (0,0) → (0,1) → (0,2), stops: Allenamento",
        "    cammina (0,0) → (0,1) → (0,2), si ferma: Allenamento",
    ),
    "fatica": (
        [
            turn(),
            roll(1, 1),
            step(0, 1),
            {"event": "fatica", "seat": 0, "from": 4, "to": 3},
            step(0, 2),
            {"event": "fatica", "seat": 0, "from": 3, "to": 2},
        ],
        "    walks (0,0) → (0,1) [Fatica: 4 → 3] → (0,2) [Fatica: 3 → 2, Yellow → White]",
        "    cammina (0,0) → (0,1) [Fatica: 4 → 3] → (0,2) [Fatica: 3 → 2, da Gialla a Bianca]",
    ),
    "fatica at 0": (
        [turn(), step(0, 1), {"event": "fatica", "seat": 0, "from": 0, "to": 0}],
        "    walks (0,0) → (0,1) [Fatica: already on 0]",
        "    cammina (0,0) → (0,1) [Fatica: già a 0]",
    ),
    "fatica for stopping": (
        [
            turn(),
            step(0, 1),
            stop(),
            {"event": "square", "seat": 0, "code": "F"},
            {"event": "fatica", "seat": 0, "from": 4, "to": 3},
        ],
        "    Fatica costs P1: 4 → 3",
        "    Fatica per P1: 4 → 3",
    ),
    "extra step": (
        [turn(), step(0, 1), step(0, 2, extra=True), stop()],
        "    takes an extra step (0,1) → (0,2), stops",
        "    fa un passo in più (0,1) → (0,2), si ferma",
    ),
    "walk on": (
        [turn(), roll(1, 1), step(4, 5), kumite(), result((6, 5), 0), step(4, 6)],
        "    walks on (4,5) → (4,6)",
        "    prosegue (4,5) → (4,6)",
    ),
    "boxed in": (
        [turn(), roll(1, 2), step(0, 1), stop("boxed_in", 2)],
        "    walks (0,0) → (0,1), is boxed in with 2 steps left",
        "    cammina (0,0) → (0,1), è bloccato con 2 passi ancora da fare",
    ),
    "boxed in at once": (
        [turn(), roll(1, 2), stop("boxed_in", 1)],
        "    on (0,0), is boxed in with 1 step left",
        "    in (0,0), è bloccato con 1 passo ancora da fare",
    ),
    "declined": (
        [turn(), step(0, 1), stop("declined", 2)],
        "    walks (0,0) → (0,1), is boxed in with 2 steps left and does not enter the Dojo",
        "    cammina (0,0) → (0,1), è bloccato con 2 passi ancora da fare e non entra nel Dojo",
    ),
    "square alone": (
        [turn(), {"event": "square", "seat": 0, "code": "K"}],
        "    takes the effect of Sfida",
        "    vale l'effetto della casella: Sfida",
    ),
    "kumite": (
        [turn(), kumite()],
        "    Kumite on (4,5): P1 (Yellow 4) attacks P2 (Green 10); dice 5 and 3, +2 to P2",
        "    Kumite in (4,5): P1 (Gialla 4) attacca P2 (Verde 10); dadi 5 e 3, +2 a P2",
    ),
    "order": (
        [turn(), choice("order", [1, 2], 1), kumite("extra")],
        "    Kumite on (4,5), by the extra step: P1 (Yellow 4) attacks P2 (Green 10)"
        " (chosen from P2, P3); dice 5 and 3, +2 to P2",
        "    Kumite in (4,5), con il passo in più: P1 (Gialla 4) attacca P2 (Verde 10)"
        " (scelta tra P2, P3); dadi 5 e 3, +2 a P2",
    ),
    "bout": (
        [turn(), kumite("exam", bonuses=(0, 1), bout=2)],
        "    Bout 2: P1 (Yellow 4) attacks P2 (Green 10); dice 5 and 3, +1 to P2",
        "    Assalto 2: P1 (Gialla 4) attacca P2 (Verde 10); dadi 5 e 3, +1 a P2",
    ),
    "upset": (
        [kumite(), result((6, 5), 0)],
        "        6-5: P1 wins, the lower belt",
        "        6-5: vince P1, la cintura più bassa",
    ),
    "favourite": (
        [kumite(), result((3, 5), 1)],
        "        3-5: P2 wins, the higher belt",
        "        3-5: vince P2, la cintura più alta",
    ),
    "senshu": (
        [kumite(), result((5, 5), 0)],
        "        5-5: P1 wins as the attacker (Senshu), the lower belt",
        "        5-5: vince P1 da attaccante (Senshu), la cintura più bassa",
    ),
    "tie to the defender": (
        [kumite("exam"), result((5, 5), 1)],
        "        5-5: P2 wins, ties going to the defender",
        "        5-5: vince P2, perché il pareggio va al difensore",
    ),
    "kiai": (
        [
            choice("tecnica", [None, "Kiai"], "Kiai"),
            {"event": "tecnica", "seat": 0, "card": "Kiai", "reroll": None},
        ],
        "        P1 reveals Kiai: +2 to the total",
        "        P1 rivela Kiai: +2 al totale",
    ),
    "uke": (
        [{"event": "tecnica", "seat": 1, "card": "Uke", "reroll": None}],
        "        P2 reveals Uke: a defeat will not mean Start",
        "        P2 rivela Uke: se perde non torna alla Partenza",
    ),
    "kaeshi": (
        [{"event": "tecnica", "seat": 0, "card": "Kaeshi", "reroll": 6}],
        "        P1 reveals Kaeshi and rerolls: 6",
        "        P1 rivela Kaeshi e ritira il dado: 6",
    ),
    "held": (
        [
            choice("tecnica", [None, "Uke"], None),
            {"event": "tecnica", "seat": 0, "card": None, "reroll": None},
        ],
        "        P1 does not play the Tecnica, which stays face down (secret: Uke)",
        "        P1 non gioca la Tecnica, che resta coperta (segreto: Uke)",
    ),
    "start": (
        [
            choice("place", [[0, 0], [0, 1], [1, 0]], [0, 1], 1),
            {"event": "start", "seat": 1, "to": [0, 1]},
        ],
        "        P2 is sent to Start, (0,1) (chosen from (0,0), (0,1), (1,0))",
        "        P2 torna alla Partenza, (0,1) (scelta tra (0,0), (0,1), (1,0))",
    ),
    "uke stays": (
        [kumite(), result((6, 5), 0), {"event": "uke", "seat": 1, "to": [4, 5]}],
        "        Uke keeps P2 from Start: the pawn stays on (4,5)",
        "        Uke evita a P2 la Partenza: la pedina resta in (4,5)",
    ),
    "uke retreats": (
        [step(4, 5), kumite(), result((1, 5), 1), {"event": "uke", "seat": 0, "to": [4, 4]}],
        "        Uke keeps P1 from Start: the pawn goes back to (4,4)",
        "        Uke evita a P1 la Partenza: la pedina si ritira in (4,4)",
    ),
    "sent back from a Tunnel": (
        [kumite("tunnel"), result((6, 5), 0), {"event": "uke", "seat": 0, "to": [1, 1]}],
        "        The defender holds the exit: P1 goes back to (1,1)",
        "        Il difensore tiene l'uscita: P1 torna in (1,1)",
    ),
    "gain": (
        [track(0, 4, 7)],
        "        P1 gains 3 stripes: 4 → 7, Yellow → Orange",
        "        P1 guadagna 3 tacche: 4 → 7, da Gialla a Arancione",
    ),
    "loss": (
        [track(2, 2, 1, "peso_cintura")],
        "    P3 loses 1 stripe: 2 → 1",
        "    P3 perde 1 tacca: 2 → 1",
    ),
    "top": (
        [track(1, 17, 17)],
        "        P2 gains nothing: 17 is the top of the track (Brown)",
        "        P2 non guadagna niente: 17 è la cima della scala (Marrone)",
    ),
    "bottom": (
        [track(1, 0, 0, "colpo_proibito")],
        "    P2 loses nothing: 0 is the bottom of the track (White)",
        "    P2 non perde niente: 0 è il fondo della scala (Bianca)",
    ),
    "draw a Tecnica": (
        [{"event": "draw", "seat": 0, "card": "Kaeshi"}],
        "    P1 draws a Tecnica and keeps it face down (secret: Kaeshi)",
        "    P1 pesca una Tecnica e la tiene coperta (segreto: Kaeshi)",
    ),
    "draw": (
        [{"event": "draw", "seat": 0, "card": "Il Sensei Osserva"}],
        "    P1 draws Il Sensei Osserva and shows it",
        "    P1 pesca Il Sensei Osserva e la mostra",
    ),
    "draw nothing": (
        [{"event": "draw", "seat": 0, "card": None}],
        "    P1 draws nothing: no card is left in the deck or the discards",
        "    P1 non pesca niente: non ci sono più carte, né nel mazzo né negli scarti",
    ),
    "keep": (
        [
            choice("keep", ["Uke", "Kiai"], "Kiai"),
            {"event": "keep", "seat": 0, "kept": "Kiai", "discarded": "Uke"},
        ],
        "    P1 had one Tecnica already: one stays, the other is discarded face down"
        " (secret: Kiai stays, Uke goes)",
        "    P1 ne aveva già una: una resta, l'altra va coperta negli scarti"
        " (segreto: resta Kiai, via Uke)",
    ),
    "reshuffle": (
        [{"event": "reshuffle", "deck": ["Uke"]}],
        "    The discards become the deck, 1 card; secret: Uke is on top",
        "    Gli scarti rimescolati diventano il mazzo, 1 carta; segreto: in cima c'è Uke",
    ),
    "reshuffle of nothing": (
        [{"event": "reshuffle", "deck": []}],
        "    There is no discard to make a deck of",
        "    Non ci sono scarti da rimescolare",
    ),
    "tunnel": (
        [
            choice("tunnel", [False, True], True),
            {"event": "tunnel", "seat": 0, "source": "square", "from": [0, 0], "to": [5, 5]},
        ],
        "    P1 takes the Tunnel from (0,0) to (5,5)",
        "    P1 prende il Tunnel da (0,0) a (5,5)",
    ),
    "tunnel refused": (
        [
            choice("tunnel", [False, True], False),
            {"event": "tunnel", "seat": 0, "source": "square", "from": [0, 0], "to": None},
        ],
        "    P1 does not take the Tunnel",
        "    P1 non prende il Tunnel",
    ),
    "tunnel closed": (
        [{"event": "tunnel", "seat": 0, "source": "square", "from": [0, 0], "to": None}],
        "    The Tunnel's exit cannot be used: P1 stays",
        "    L'uscita del Tunnel non si può usare: P1 resta dov'è",
    ),
    "segreto": (
        [
            choice("segreto", [[2, i] for i in range(8)], [2, 3]),
            {"event": "tunnel", "seat": 0, "source": "segreto", "from": [0, 0], "to": [2, 3]},
        ],
        "    Tunnel Segreto takes P1 from (0,0) to (2,3) (one of 8)",
        "    Il Tunnel Segreto porta P1 da (0,0) a (2,3) (una di 8)",
    ),
    "segreto closed": (
        [{"event": "tunnel", "seat": 0, "source": "segreto", "from": [0, 0], "to": None}],
        "    Tunnel Segreto has no usable exit: P1 stays",
        "    Il Tunnel Segreto non ha uscite usabili: P1 resta dov'è",
    ),
    "sfida": (
        [choice("target", [2], 2), {"event": "target", "seat": 0, "why": "sfida", "chosen": 2}],
        "    P1 must fight: Sfida to P3 (the only choice)",
        "    P1 deve combattere: Sfida a P3 (unica scelta)",
    ),
    "sfida fight": (
        [kumite("sfida", bonuses=(0, 0))],
        "    Kumite by Sfida, from (4,5): P1 (Yellow 4) attacks P2 (Green 10); dice 5 and 3",
        "    Kumite per Sfida, da (4,5): P1 (Gialla 4) attacca P2 (Verde 10); dadi 5 e 3",
    ),
    "tunnel fight": (
        [kumite("segreto", bonuses=(0, 0))],
        "    Kumite on (4,5), at the exit of Tunnel Segreto: P1 (Yellow 4) attacks P2 (Green 10);"
        " dice 5 and 3",
        "    Kumite in (4,5), all'uscita del Tunnel Segreto: P1 (Gialla 4) attacca P2 (Verde 10);"
        " dadi 5 e 3",
    ),
    "no sfida": (
        [{"event": "target", "seat": 0, "why": "sfida", "chosen": None}],
        "    Sfida finds no opponent: nothing happens",
        "    La Sfida non ha bersagli: non succede niente",
    ),
    "irimi": (
        [{"event": "target", "seat": 0, "why": "irimi", "chosen": 1}],
        "    P1 picks P2 for Irimi",
        "    P1 sceglie P2 per Irimi",
    ),
    "no irimi": (
        [{"event": "target", "seat": 0, "why": "irimi", "chosen": None}],
        "    Irimi finds no opponent: nothing happens",
        "    Irimi non ha bersagli: non succede niente",
    ),
    "swap": (
        [{"event": "swap", "seat": 0, "with": 1, "squares": [[4, 5], [0, 0]]}],
        "    P1 and P2 swap places: P1 to (4,5), P2 to (0,0)",
        "    P1 e P2 si scambiano il posto: P1 in (4,5), P2 in (0,0)",
    ),
    "passo falso": (
        [{"event": "passo_falso", "seat": 0, "to": [0, 0], "source": "square"}],
        "    Passo Falso takes P1 back to (0,0), where the move began",
        "    Passo Falso: P1 torna in (0,0), da dove era partito il movimento",
    ),
    "passo falso card": (
        [{"event": "passo_falso", "seat": 0, "to": [0, 0], "source": "card"}],
        "    The card takes P1 back to (0,0), where the move began",
        "    La carta riporta P1 in (0,0), da dove era partito il movimento",
    ),
    "meditate": (
        [{"event": "meditate", "seat": 2}],
        "    P3 meditates: safe from fights and choices until the end of the next turn, which is"
        " skipped",
        "    P3 entra in meditazione: salta il prossimo turno e fino alla sua fine nessuno può"
        " affrontarlo o sceglierlo",
    ),
    "exam": (
        [choice("defender", [1, 2], 2), {"event": "exam", "challenger": 0, "defender": 2}],
        "    Final Exam! P1 enters the Central Dojo; P3, the highest who can, defends as a Black"
        " belt (chosen from P2, P3)",
        "    Esame Finale! P1 entra nel Dojo Centrale; difende P3, il più alto sulla scala tra chi"
        " può, da Cintura Nera (scelta tra P2, P3)",
    ),
    "exam refused": (
        [{"event": "exam", "challenger": 0, "defender": None, "returned": [5, 6]}],
        "    P1 enters the Central Dojo, but nobody can defend: back to (5,6), no Exam this turn",
        "    P1 entra nel Dojo Centrale, ma nessuno può difendere: torna in (5,6), niente Esame in"
        " questo turno",
    ),
    "exam with the own belt": (
        [{"event": "exam", "challenger": 0, "defender": 1}],
        "    Final Exam! P1 enters the Central Dojo; P2, the highest who can, defends with the belt"
        " worn",
        "    Esame Finale! P1 entra nel Dojo Centrale; difende P2, il più alto sulla scala tra chi"
        " può, con la propria cintura",
    ),
    "exam won": (
        [exam_result(winner=0, bouts=(1, 0), cost=0)],
        "    P1 wins the Final Exam 1-0 against P2 and wears the Black Belt",
        "    P1 supera l'Esame Finale 1-0 contro P2 e indossa la Cintura Nera",
    ),
    "exam lost": (
        [exam_result(winner=1)],
        "    P1 fails the Final Exam 0-1 against P2; the price is 3 stripes and Start",
        "    P1 non supera l'Esame Finale, 0-1 contro P2; il prezzo è 3 tacche e la Partenza",
    ),
    "exam lost with Uke": (
        [exam_result(winner=1, cost=1, uke=True)],
        "    P1 fails the Final Exam 0-1 against P2; the price is 1 stripe, but Uke spares Start",
        "    P1 non supera l'Esame Finale, 0-1 contro P2; il prezzo è 1 tacca, ma Uke evita la"
        " Partenza",
    ),
    "end": (
        [end()],
        "P1 (greedy) wins the Black Belt in round 12: 35 turns played.",
        "P1 (greedy) conquista la Cintura Nera nel giro 12: 35 turni in tutto.",
    ),
    "unfinished": (
        [end(None, "max_rounds")],
        "Unfinished: nobody won within 12 rounds, the limit; 35 turns played.",
        "Incompiuta: nessuno ha vinto entro 12 giri, il limite; 35 turni in tutto.",
    ),
    "time": (
        [end()],
        "Time at the table: about 50 minutes (an estimate from the time options, not a"
        " measurement).",
        "Tempo al tavolo: circa 50 minuti (una stima dalle opzioni di tempo, non una misura).",
    ),
    "counts": (
        [end()],
        "3 Kumite (1 won by the lower belt), 1 Final Exam, 2 pawns sent to Start, 1 card drawn.",
        "3 Kumite (1 alla cintura più bassa), 1 Esame Finale, 2 ritorni alla Partenza,"
        " 1 carta pescata.",
    ),
    "final track": (
        [end()],
        "On the track at the end: P2 Brown 17, P1 Brown 15, P3 White 0.",
        "Sulla scala, alla fine: P2 Marrone 17, P1 Marrone 15, P3 Bianca 0.",
    ),
    "hidden draw": (
        [{"event": "draw", "seat": 0, "card": story.HIDDEN}],
        "    P1 draws a Tecnica and keeps it face down",
        "    P1 pesca una Tecnica e la tiene coperta",
    ),
    "hidden keep": (
        [{"event": "keep", "seat": 0, "kept": story.HIDDEN, "discarded": story.HIDDEN}],
        "    P1 had one Tecnica already: one stays, the other is discarded face down",
        "    P1 ne aveva già una: una resta, l'altra va coperta negli scarti",
    ),
    "hidden reshuffle": (
        [{"event": "reshuffle", "deck": [story.HIDDEN] * 2}],
        "    The discards become the deck, 2 cards",
        "    Gli scarti rimescolati diventano il mazzo, 2 carte",
    ),
    "choice that nothing followed": (
        [choice("place", [[0, 0], [0, 1]], [0, 1]), end()],
        "    P1 decides: (0,1) (chosen from (0,0), (0,1))",
        "    P1 decide: (0,1) (scelta tra (0,0), (0,1))",
    ),
}
SETTINGS = {
    "exam with the own belt": setup(exam_own_belt=True),
    "first round with Kumite": setup(first_round_kumite=True),
}


@pytest.mark.parametrize(("language", "column"), [("en", 1), ("it", 2)])
@pytest.mark.parametrize("case", CASES)
def test_an_event_is_told(case, language, column):
    lines = told(*CASES[case][0], language=language, setting=SETTINGS.get(case))
    assert CASES[case][column] in lines


def test_every_event_of_the_document_has_a_case():
    told_events = {event["event"] for events, *_ in CASES.values() for event in events}
    assert len(EVENTS) > 20
    assert set(EVENTS) == told_events | {"setup"}


@pytest.mark.parametrize("case", CASES)
def test_no_event_is_dropped_without_a_trace_in_the_words(case):
    events = CASES[case][0]
    setting = SETTINGS.get(case)
    silent = {"tunnel", "tecnica", "keep"}  # The event that follows says these whole.
    for index, event in enumerate(events):
        if event["event"] == "choice" and event["kind"] in silent:
            continue
        without = events[:index] + events[index + 1 :]
        assert heard(*without, setting=setting) != told(*events, setting=setting), event


def test_every_phrase_is_said_in_some_case(monkeypatch):
    said = set()
    say = story.Narrator.say

    def listen(self, key, **values):
        said.add(key)
        return say(self, key, **values)

    monkeypatch.setattr(story.Narrator, "say", listen)
    for case, (events, *_) in CASES.items():
        told(*events, setting=SETTINGS.get(case))
    table_of_four = {
        "players": ["random"] * 4,
        "corners": [0, 1, 2, 3],
        "squares": [[0, 0], [0, 15], [15, 15], [15, 0]],
        "track": [6, 9, 12, 15],
    }
    told(setting=setup(deck=(), links=[[[0, 1], [7, 7]]], kiai=1) | table_of_four)
    told(setting=setup(deck=[story.HIDDEN]) | {"squares": [[0, 0], None, None]})
    for code in ".AF?TPKS":
        told({"event": "square", "seat": 0, "code": code})
    told(choice("tunnel", [False, True], True), choice("tunnel", [False, True], False))
    told(choice("tecnica", [None, "Uke"], None))
    told({"event": "tecnica", "seat": 0, "card": None, "reroll": None})
    told(kumite("tunnel"), result((4, 3), 0), setting=setup(track=(10, 10, 0)))
    told(end(rounds=1, turns=1, seconds=60, exams_started=0, starts=1, cards=2))
    told(end(None, "max_rounds", rounds=1))
    assert set(PHRASES) == said


def test_the_setup_tells_table_board_and_changed_options():
    setting = setup(links=[[[0, 1], [7, 7]]], kiai=1, short_game=True)
    lines = list(story.describe([setting], "en"))
    assert lines[0] == (
        "Il Labirinto del Dojo: play 7 of seed 1 on the board quadrant (engine abc)"
    )
    assert lines[2:6] == [
        "      0   1",
        "    +---+---+",
        "  0 | S   1 |",
        "    +---+---+",
    ]
    assert "Linked Tunnels: (0,1)-(7,7)" in lines
    assert "Options away from their defaults: short_game = true, kiai = 1" in lines
    assert "P2 (seat 1, random): top right Safe Room, pawn on (4,5), Green 10" in lines
    assert "The deck lies face down, 2 cards; secret: Kiai is on top." in lines
    assert lines[-1] == "P1 goes first."


def test_the_setup_is_silent_about_options_at_their_defaults():
    assert not [line for line in story.describe([setup()], "en") if "defaults" in line]


@pytest.mark.parametrize("language", story.languages())
def test_belts_are_as_long_as_the_option_says(language):
    setting = setup(track=(4, 5, 29), belt_stripes=5)
    narrator = list(story.describe([setting], language))
    white, yellow, brown = (PHRASES[f"belt_{belt}"][language] for belt in (0, 1, 5))
    seats = [line for line in narrator if re.match(r"P\d \(", line)]
    assert [line.rsplit(", ", 1)[1] for line in seats] == [
        f"{white} 4",
        f"{yellow} 5",
        f"{brown} 29",
    ]


def test_a_round_has_one_heading():
    lines = told(turn(0, 4), turn(1, 5), turn(2, 6), turn(0, 7, 3))
    assert [line for line in lines if line.startswith("Round")] == ["Round 2", "Round 3"]


def test_both_kaeshi_choices_may_come_before_both_cards():
    lines = told(
        choice("tecnica", [None, "Kaeshi"], "Kaeshi", 0),
        choice("tecnica", [None, "Uke"], None, 1),
        {"event": "tecnica", "seat": 0, "card": "Kaeshi", "reroll": 2},
        {"event": "tecnica", "seat": 1, "card": None, "reroll": None},
    )
    assert lines == [
        "        P1 reveals Kaeshi and rerolls: 2",
        "        P2 does not play the Tecnica, which stays face down (secret: Uke)",
    ]


@pytest.mark.parametrize("card", [name for _, name in CARDS])
def test_only_a_tecnica_is_secret_when_drawn(card):
    (line,) = told({"event": "draw", "seat": 0, "card": card})
    assert card in line
    assert ("secret" in line) == (card in {"Kiai", "Uke", "Kaeshi"})


def test_an_unknown_event_is_refused_with_the_nearest_name():
    with pytest.raises(DojoError, match=r"line 2 of the trace: .*'kumit'; did you mean 'kumite'"):
        told({"event": "kumit"})


def test_an_event_without_a_field_is_refused_by_its_line():
    with pytest.raises(DojoError, match=r"line 2 of the trace: event 'draw' .*'card'"):
        told({"event": "draw", "seat": 0})


def test_an_unknown_square_is_refused():
    with pytest.raises(DojoError, match="square_X"):
        told({"event": "square", "seat": 0, "code": "X"})


def test_a_card_that_is_no_tecnica_cannot_be_played():
    with pytest.raises(DojoError, match="'Uka' is no Tecnica; did you mean 'Uke'"):
        told({"event": "tecnica", "seat": 0, "card": "Uka", "reroll": None})


def test_a_trace_begins_with_its_setup():
    with pytest.raises(DojoError, match="'turn' comes before the setup"):
        list(story.describe([turn()], "en"))


def test_an_unknown_language_is_refused_at_once():
    with pytest.raises(DojoError, match="'fr' is not one of en, it"):
        story.describe([], "fr")


@pytest.mark.parametrize("key", PHRASES)
def test_a_phrase_has_the_same_placeholders_in_every_language(key):
    placeholders = [sorted(re.findall(r"{(\w+)}", words)) for words in PHRASES[key].values()]
    assert set(PHRASES[key]) == {"en", "it"}
    assert all(found == placeholders[0] for found in placeholders)
