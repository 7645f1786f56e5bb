"""A slow, literal twin of the budget that merges atoms. Imports no okpca.

Ward's criterion and the merging of the cheapest pair are written out over the rows that every atom
stands for: their images are known, so the cost of a merge is that of the two sums of squares about
the two means in feature space, computed from the definition.
"""

import numpy as np


def ward(w, v, square):
    return w * v / (w + v) * square


class NaiveClusters:
    """Rows of weight 1, nothing forgotten."""

    def __init__(self, kappa, nu, max_atoms, free, thrift, *, averaged=True):
        self.kappa, self.nu, self.max_atoms = kappa, nu, max_atoms
        self.free, self.thrift, self.averaged = free, thrift, averaged
        self.atoms, self.weight, self.total, self.debt = [], [], [], []
        self.asking, self.claim = [], {}  # and the weight claimed by an atom, by its number
        self.price = 0.0
        self.n = self.merges = 0

    def residual(self, x):
        if not self.atoms:
            return 1.0
        D = np.array(self.atoms)
        k = self.kappa(D, x[None])[:, 0]
        return float(self.kappa(x[None], x[None])[0, 0] - k @ np.linalg.solve(self.kappa(D, D), k))

    def join(self, x):
        for what, value in (
            (self.atoms, x), (self.weight, 1.0), (self.total, x.copy()), (self.debt, 0.0),
        ):  # fmt: skip
            what.append(value)

    def nearest(self, x):
        D = np.array(self.atoms)
        own = np.array([self.kappa(d[None], d[None])[0, 0] for d in D])
        return int(np.argmax(self.kappa(D, x[None])[:, 0] - own / 2))

    def step(self, x):
        x = np.asarray(x, dtype=float)
        self.n += 1
        novel = self.residual(x) >= self.nu
        if self.price == 0.0 and novel:
            if len(self.atoms) < self.max_atoms:
                self.join(x)
                return
            self.merge()
        eps2, near = self.residual(x), self.nearest(x)
        self.debt[near] += eps2 if self.price else 0.0
        if self.price and eps2 >= self.nu and self.debt[near] >= self.price:
            self.asking.append((x, self.debt[near] / self.square(x, self.atoms[near])))
            self.debt[near] = 0.0
        else:
            self.weight[near] += 1
            self.total[near] = self.total[near] + x
        m = self.max_atoms
        enough = min(1.5 * m, max(75, m / 4))
        if not self.is_young():
            enough = min(max(m / 800, 1 / 12), 1 / 4) * m if self.free is None else 1
        if self.price and self.asking and len(self.asking) >= enough and self.at_border():
            self.welcome()

    def square(self, x, y):
        """||phi(x) - phi(y)||^2"""
        xx, xy, yy = (self.kappa(p[None], q[None])[0, 0] for p, q in ((x, x), (x, y), (y, y)))
        return xx - 2 * xy + yy

    def is_young(self):
        return self.n < self.youth()

    def youth(self):
        return max(min(40 * self.max_atoms, 2000), 10 * self.max_atoms)

    def at_border(self):
        rows = max(min(self.n / 32, 1024), self.max_atoms / 8, self.max_atoms**2 / 750, 1)
        return self.n % 2 ** int(np.log2(int(rows))) == 0

    def welcome(self):
        asking, self.asking = self.asking, []
        refused = []
        for x, claim in asking:
            if self.residual(x) >= self.nu:
                self.claim[len(self.atoms)] = claim
                self.join(x)
            else:
                refused.append(x)
        self.count(refused)
        if len(self.atoms) > self.max_atoms:
            self.merge()

    def count(self, rows):
        for x in rows:
            near = self.nearest(x)
            self.weight[near] += 1
            self.total[near] = self.total[near] + x

    def place(self, atom, mean):
        """The mean of its rows, unless that is nearly orthogonal to it."""
        a, b, ab = (
            self.kappa(p[None], q[None])[0, 0]
            for p, q in ((atom, atom), (mean, mean), (atom, mean))
        )
        return mean if self.averaged and ab**2 >= 0.25 * a * b else atom

    def merge(self):
        """Pairs of clusters of old atoms: ||mean_i - mean_j||^2 in feature space, from scratch."""
        self.merges += 1
        # Before a row that found no room is learned, it is not counted either.
        crowded = len(self.atoms) > self.max_atoms
        young = self.n - (not crowded) < self.youth()
        n_free = max(1, int((self.free or 1 / 8) * self.max_atoms))
        if crowded and self.free is None:
            n_free = 0
        thrift = self.thrift
        if young:
            thrift *= min(max((self.max_atoms / 240) ** 3, 0.2), 2.0)
        D, w = np.array(self.atoms), np.array(self.weight)
        K = self.kappa(D, D)
        stand = w.copy()
        for i, claim in self.claim.items():
            stand[i] = max(w[i], claim / max(thrift, 1.0))
        self.claim = {}
        clusters = [[i] for i in range(len(D))]
        last = 0.0
        while len(clusters) > self.max_atoms - n_free:
            best = (np.inf, 0, 0)
            for a in range(len(clusters)):
                for b in range(a + 1, len(clusters)):
                    c = np.zeros(len(D))
                    for which, sign in ((clusters[a], 1), (clusters[b], -1)):
                        c[which] = sign * stand[which] / stand[which].sum()
                    cost = ward(stand[clusters[a]].sum(), stand[clusters[b]].sum(), c @ K @ c)
                    best = min(best, (cost, a, b))
            cost, a, b = best
            last = max(last, cost)
            # The heavier stays where it is in the order, and lends its place.
            if w[clusters[a]].sum() >= w[clusters[b]].sum():
                clusters[a] = clusters[a] + clusters[b]
                del clusters[b]
            else:
                clusters[b] = clusters[b] + clusters[a]
                del clusters[a]
        self.price = thrift * last
        clusters.sort(key=lambda which: which[0])
        total = [sum(self.total[i] for i in which) for which in clusters]
        self.weight = [float(w[which].sum()) for which in clusters]
        self.atoms = [
            self.place(self.atoms[which[0]], t / v)
            for t, v, which in zip(total, self.weight, clusters, strict=True)
        ]
        self.total, self.debt = total, [0.0] * len(clusters)
