# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Covering designs: rows of options in which every pair of levels of two factors occurs.

A row has a level, text, for each factor; what is forbidden are sets of (factor, level) that no row has together."""
import itertools
import random

_TRIES = 24


def pairs_of(row):
    return {frozenset(pair) for pair in itertools.combinations(row.items(), 2)}


def allows(forbidden, row):
    """Whether nothing forbidden is in a row, complete or not."""
    items = set(row.items())
    return not any(together <= items for together in forbidden)


def _missing(row, open_pairs, item):
    return sum(frozenset((item, other)) in open_pairs for other in row.items())


def _grow(factors, open_pairs, forbidden, preferred, chance):
    """A row that begins with an open pair and takes, factor by factor, the level with most open pairs; None if it runs
    into a corner."""
    row = dict(chance.choice(sorted(map(sorted, open_pairs), key=str)))
    names = [name for name in factors if name not in row]
    chance.shuffle(names)
    for name in names:
        free = {level: _missing(row, open_pairs, (name, level)) for level in factors[name] if allows(forbidden, row | {name: level})}
        if not free:
            return None
        best = [level for level, missing in free.items() if missing == max(free.values())]
        row[name] = preferred[name] if preferred.get(name) in best else chance.choice(best)
    return {name: row[name] for name in factors}


def covering(factors, forbidden=(), preferred=None, seed=0):
    """Rows that have every pair but those that forbidden sets leave no row for; the same for the same arguments. Where
    nothing else tells levels apart a factor takes the one that is `preferred`."""
    chance, rows = random.Random(seed), []
    open_pairs = {frozenset(((a, x), (b, y))) for a, b in itertools.combinations(factors, 2) for x in factors[a] for y in factors[b]}
    open_pairs -= {together for together in forbidden if len(together) == 2}
    while open_pairs:
        tries = [row for row in (_grow(factors, open_pairs, forbidden, preferred or {}, chance) for _ in range(_TRIES)) if row]
        assert tries, f"no row can have one of {sorted(map(sorted, open_pairs), key=str)[:3]}"
        rows.append(max(tries, key=lambda row: len(pairs_of(row) & open_pairs)))
        open_pairs -= pairs_of(rows[-1])
    return rows


def sample(factors, forbidden, count, seed):
    """So many rows at random."""
    chance, rows = random.Random(seed), []
    while len(rows) < count:
        row = {name: chance.choice(levels) for name, levels in factors.items()}
        if allows(forbidden, row):
            rows.append(row)
    return rows
