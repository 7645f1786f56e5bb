"""A slow twin of KernelNoveltyDetector that keeps every row and solves everything anew."""

import numpy as np

from okpca._core.numerics import BELIEVED
from okpca.detection.leave_one_out import CHANCE, LAST, RECENT
from okpca.detection.limits import CLUSTERED, CLUSTERS, EVENT, LARGEST, TOLERATED, tail
from okpca.detection.nested import ENOUGH, HEARD, LOUDER
from okpca.detection.scores import FLOOR
from okpca.detection.window import ALIKE, FAR, USEFUL, YOUNG
from okpca.kernels import RBF

GAMMA, R, ALPHA, WARM_UP, REFRESH, SIZE = 0.3, 3, 0.1, 25, 10, 60
LATE = min(RECENT, SIZE // 2)


class Components:
    """Batch kernel PCA of all rows given, and what it says of any other."""

    def __init__(self, rows):
        self.rows, kernel, n = rows, RBF(GAMMA), len(rows)
        K = kernel(rows)
        self.along, self.middle = K.mean(axis=1), K.mean()
        J = np.eye(n) - np.ones((n, n)) / n
        values, U = np.linalg.eigh(J @ K @ J)
        values, U = values[::-1][:R], U[:, ::-1][:, :R]
        self.onto, self.variance = (U / np.sqrt(values)).T @ J, values / n
        self.floor = np.maximum(self.variance, FLOOR * np.trace(J @ K @ J) / n)
        self.scale, self.n = np.array([self.floor[-1], 1.0]), n
        self.rank = max((self.variance / self.floor).sum(), 1.0)
        self.stranger = self.of(np.zeros(n))[1]
        y = self.of(np.zeros(n))[0]
        self.strangers = np.array([self.stranger, 0.0, *self.left(y, self.stranger)])

    def of(self, k):
        """Scores along the components, and SPE, of a row with these kernel values."""
        y = self.onto @ (k - self.along)
        return y, 1.0 - 2 * k.mean() + self.middle - y @ y

    def at(self, x):
        return self.of(RBF(GAMMA)(x[None], self.rows)[0])

    def score(self, x):
        y, spe = self.at(x)
        return np.array([spe, (y**2 / self.floor).sum(), *self.left(y, spe)])

    def left(self, y, spe):
        """By the first 0, 1, 2 and 4 components (there are R)."""
        return [spe + (y[r:] ** 2).sum() for r in (0, 1, 2, 4)]

    def usual(self):
        return np.mean([self.score(x) for x in self.rows], axis=0)

    def without_itself(self, x):
        y, spe = self.at(x)
        h = (1 + (y**2 / self.variance).sum()) / self.n
        return min(spe / (1 - h) ** 2, (spe + y @ y) * (self.n / (self.n - 1)) ** 2)

    def without(self, rows):
        y_last, y_all = (np.array([self.at(x)[0] for x in of]) for of in (rows, self.rows))
        n = self.n - len(rows)
        mean = (y_all.sum(axis=0) - y_last.sum(axis=0)) / n
        scatter = y_all.T @ y_all - y_last.T @ y_last - n * np.outer(mean, mean)
        left, U = np.linalg.eigh(scatter / n)
        lost = (y_last - mean) @ U[:, left < self.variance.min()]
        return [self.at(x)[1] + more @ more for x, more in zip(rows, lost, strict=True)]


class Twin:
    """Row by row: limits at every border, and components at those where rows have become a quarter
    more, or so, since every row is an atom; or where the limit tells hardly a stranger."""

    def __init__(self, column=3, learn=False, accept_after=None, lags=0, ewma=1.0):
        self.column, self.learn, self.accept_after = column, learn, accept_after
        self.lags, self.ewma = lags, ewma
        self.raw, self.learned, self.run, self.level = [], [], [], None
        self.n, self.evidence, self.events, self.believed = 0, 0.0, 0, 0
        self.start_anew()

    def start_anew(self):
        self.window, self.rows, self.without, self.count, self.gauge = [], [], None, 0, None
        self.limit, self.now, self.told, self.shown = None, None, False, False

    # -- borders ----------------------------------------------------------------------------------

    def border(self):
        if self.now is None or len(self.learned) >= self.due or self.is_blind():
            self.now, n = Components(np.array(self.learned)), len(self.learned)
            self.due, self.judged = int(n * 1.25 + n**2 / 500), False
            self.look_back()
            self.gauge = None
        enough = len(self.window) >= min(ENOUGH, SIZE)
        if self.gauge is None and enough and self.ewma == 1.0:
            order = np.sort(self.window, axis=0)
            self.gauge = order[int(0.5 * len(order))], order[int(0.9 * len(order))]
        if self.evidence > EVENT and not self.judged:
            self.events, self.judged = self.events + 1, True
            level = self.now.usual()
            for i, x in enumerate(self.rows):
                level = self.ewma * self.now.score(x) + (1 - self.ewma) * level
                self.window[i] = np.maximum(self.window[i], level / self.terms)
        pairs, fair = self.pairs(), self.pairs(fair=True)
        if len(pairs) >= 1 / ALPHA - 1:
            self.shown |= len(pairs) == SIZE or 2 * ALPHA * len(pairs) >= self.memory()
        self.grace, self.enough = max(1, int(0.5 * ALPHA * len(pairs))), len(pairs) >= 1 / ALPHA
        spe, self.limit = self.limits_of(fair)
        believed = self.without is not None and spe <= USEFUL * self.now.stranger
        believed = believed and self.evidence <= EVENT
        if not believed or not self.seldom_beyond(spe, self.window[-LATE:]):
            spe, self.limit = self.limits_of(pairs) if self.shown else (np.inf, np.inf)
            alike = ALIKE if self.young and not self.told else 0.0
            if self.column == 3 and self.limit >= (1 - 1e-9) * self.nested(self.now.strangers):
                self.limit = np.inf
            spe = spe if spe < (1 - alike) * self.now.stranger else np.inf
            asks = self.young or self.without is not None
            if spe == np.inf and (self.column == 0 or (self.column == 3 and asks)):
                self.limit = np.inf
        self.known = len(pairs)
        self.spe_limit, self.told = spe, self.told or spe < USEFUL * self.now.stranger

    def memory(self):
        """The first lag at which rows are hardly more alike than any."""
        n, K = len(self.rows), RBF(GAMMA)(np.array(self.rows))
        least = K.mean() + (1.0 - K.mean()) / np.e
        return next((lag for lag in range(1, n // 2) if np.diag(K, lag).mean() < least), n)

    @property
    def young(self):
        return self.count < YOUNG * SIZE

    def is_blind(self):
        if not self.young or not USEFUL * self.now.stranger < self.spe_limit:
            return False
        if self.known < 1 / ALPHA - 1:
            return False
        if len(self.learned) < self.now.n + LATE:
            return False
        return self.seldom_beyond(FAR * self.now.stranger, self.window[-LATE:])

    def seldom_beyond(self, limit, scores, times=CHANCE, n=LATE):
        beyond = sum(np.atleast_1d(score)[0] > limit for score in scores)
        memory = self.lags + 1 / self.ewma
        return len(scores) >= n and beyond <= times * ALPHA * len(scores) + memory

    def look_back(self):
        """What the rows of the window would score, had they not been learned."""
        self.without, least = None, FAR * self.now.stranger
        honest = self.limits_of(self.pairs())[0]
        if not self.young or not least < honest < np.inf:
            return
        found = self.averaged([self.now.without_itself(x) for x in self.rows])
        self.without = np.maximum(found, least)
        limit = self.limits_of(self.pairs(fair=True))[0]
        last = self.rows[-max(len(self.rows) // LAST, LATE) :]
        anew = self.averaged(self.now.without(last))
        if limit > USEFUL * self.now.stranger or not self.seldom_beyond(limit, anew, 2 * CHANCE, 0):
            self.without = None
        self.believed += self.without is not None

    def averaged(self, spe):
        level, out = self.now.usual()[0], []
        for value in spe:
            level = self.ewma * value + (1 - self.ewma) * level
            out.append(level)
        return np.array(out)

    def pairs(self, fair=False):
        """As the components of now would scale them."""
        pairs = np.array(self.window).reshape(-1, 6)
        if len(pairs) >= 4:
            latest = np.median(pairs[-(len(pairs) // 4) :, 1])
            pairs[:, 1] *= max(latest / np.median(pairs[:, 1]), 1.0)
        pairs = self.four(pairs * self.terms)
        if fair and self.without is not None:
            n = len(self.without)
            pairs[:n, 3] = np.minimum(pairs[:n, 3], self.without / self.unit)
            pairs[:n, 0] = np.minimum(pairs[:n, 0], self.without)
            pairs[:, 2] = pairs[:, :2] @ (1 / self.now.scale)
        return pairs

    @property
    def terms(self):
        return np.array([1.0, self.now.rank, 1.0, 1.0, 1.0, 1.0])

    @property
    def unit(self):
        return self.now.stranger if self.gauge is None else self.gauge[1][0]

    def nested(self, values):
        """The formula, word by word."""
        if self.gauge is None:
            return values[0] / self.unit
        m, q = self.gauge
        tells = [i for i in (2, 3, 4, 5) if q[i] - m[i] > BELIEVED * self.now.strangers[i]]
        c = max(((values[i] - m[i]) / (q[i] - m[i]) for i in tells), default=-np.inf)
        spread = max(q[0] - m[0], 1e-12 * self.now.stranger)
        raised = m[0] + spread * (HEARD + LOUDER * (c - HEARD))
        return max(values[0], raised) / self.unit

    def limits_of(self, pairs):
        """Of SPE, and of what decides."""
        if len(pairs) < 1 / ALPHA - 1:
            return np.inf, np.inf
        return self.limit_of(pairs[:, 0]), self.limit_of(pairs[:, self.column])

    def limit_of(self, values):
        """The least value that no more others exceed than ALPHA allows, less one cluster."""
        share = max(ALPHA, CLUSTERS)
        high = values > np.quantile(values, 1 - share)
        runs = np.sum(high & ~np.r_[False, high[:-1]])
        size = high.sum() / max(runs, 1) * (1 - share)
        size = size if size >= CLUSTERED else 1.0
        for value in np.sort(values):
            if np.sum(values > value) + size <= ALPHA * (len(values) + 1) + 1e-9:
                return value
        return max(values.max(), tail(values, ALPHA))

    def four(self, values):
        """SPE, T², their combination and the nested score."""
        combined = values[:, :2] @ (1 / self.now.scale)
        return np.column_stack([values[:, :2], combined, [self.nested(one) for one in values]])

    # -- rows -------------------------------------------------------------------------------------

    def take(self, x):
        self.raw.append(x)
        x = np.concatenate([self.raw[max(self.n - lag, 0)] for lag in range(self.lags + 1)])
        self.n += 1
        if self.n <= WARM_UP:
            self.learned.append(x)
            return np.nan, False
        scored = self.n - 1 - WARM_UP
        rarely = scored > SIZE >= 14 * REFRESH
        at_border = scored % (2 * REFRESH if rarely else REFRESH) == 0
        if at_border or self.limit is None:
            self.border()
        level = self.now.usual() if self.level is None else self.level
        pair = self.level = self.ewma * self.now.score(x) + (1 - self.ewma) * level
        value = self.four(pair[None])[0, self.column]
        alarm = value > self.limit
        self.run = [*self.run, x] if alarm else []
        if self.learn or not alarm:
            self.learned.append(x)
        quiet = self.evidence <= EVENT
        if self.enough:
            one = alarm / (self.lags + 1 / self.ewma)
            self.evidence = np.clip(self.evidence + one - TOLERATED * ALPHA, 0, LARGEST)
        else:
            quiet = True
        if self.learn or (quiet and (len(self.run) <= self.grace or not alarm)):
            self.count += 1
            self.window = [*self.window, pair / self.terms]
            self.rows = [*self.rows, x]
            if len(self.rows) > SIZE:
                del self.window[0], self.rows[0]
                self.without = None if self.without is None else self.without[1:]
        if len(self.run) == self.accept_after:
            if not self.learn:
                self.learned.extend(self.run)
            self.run, self.evidence, self.level = [], 0.0, None
            self.start_anew()
        return value, alarm
