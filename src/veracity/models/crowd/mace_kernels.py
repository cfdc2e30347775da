"""The compiled maximisation step of MACE: how sources answer, from how often they are right."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from veracity.data.compiled import compiled
from veracity.models.gamma import digamma
from veracity.models.grbm.observation.statement_kernels import sigmoid, softplus


@compiled
def made_up_from_right(
    right: Any, weight: Any, source: Any, log_know: Any, base: Any, made_up: Any, spam: Any
) -> None:
    """Count how often what each cell says was made up, and add that up by source.

    `base` is the log-weight of making up what a cell says, by what was learned so far.
    """
    for cell in range(len(right)):
        known = sigmoid(log_know[source[cell]] - base[cell])
        made_up[cell] = max(weight[cell] - known * right[cell], 0.0)
        spam[source[cell]] += made_up[cell]


@compiled
def spam_from_counts(
    spam: Any, given: Any, a: float, b: float, variational: bool,
    theta: Any, log_spam: Any, log_know: Any,
) -> Any:  # fmt: skip
    """Learn how often sources make answers up; return what the prior adds to the objective.

    Variational Bayes: the expected logarithms of theta and 1 - theta, and minus the divergence of
    the posterior Beta(a + spam, b + known) from the prior Beta(a, b). Else: shares with a and b for
    pseudo-counts.
    """
    term = 0.0
    for source in range(len(spam)):
        known = max(given[source] - spam[source], 0.0)
        mine, rest = a + spam[source], b + known
        theta[source] = mine / (mine + rest)
        if variational:
            total = digamma(mine + rest)
            log_spam[source], log_know[source] = digamma(mine) - total, digamma(rest) - total
            term -= math.lgamma(mine + rest) - math.lgamma(mine) - math.lgamma(rest)
            term += math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
            term -= spam[source] * log_spam[source] + known * log_know[source]
        else:
            log_spam[source], log_know[source] = np.log(theta[source]), np.log1p(-theta[source])
            term += a * log_spam[source] + b * log_know[source]
    return term


@compiled
def strategy_from_counts(
    made_up: Any, pair_start: Any, width: Any, extra: float, variational: bool, log_strategy: Any
) -> Any:
    """Learn what sources say when they make something up; return what the prior adds.

    The cells of one source and attribute stand together, from one `pair_start` to the next; what a
    source never says has no cell. `extra` is the parameter of the Dirichlet distribution of each
    class or, without variational Bayes, a count that is spread over the classes.
    """
    term = 0.0
    for pair in range(len(pair_start) - 1):
        first, last = pair_start[pair], pair_start[pair + 1]
        n_classes = width[first]
        own = extra if variational else extra / n_classes
        whole = own * n_classes
        if variational:
            term += math.lgamma(whole)
        for cell in range(first, last):
            whole += made_up[cell]
        log_whole = digamma(whole) if variational else np.log(whole)
        for cell in range(first, last):
            count = made_up[cell] + own
            if variational:
                log_strategy[cell] = digamma(count) - log_whole
                term -= math.lgamma(own) - math.lgamma(count) + made_up[cell] * log_strategy[cell]
            else:
                log_strategy[cell] = np.log(count) - log_whole
                term += own * log_strategy[cell]
        if variational:  # what is never said adds nothing
            term -= math.lgamma(whole)
        else:
            term += (n_classes - (last - first)) * own * (np.log(own) - log_whole)
    return term


@compiled
def evidence(
    source: Any, log_spam: Any, log_know: Any, log_strategy: Any, ratio: Any, base: Any
) -> None:
    """Set what each cell's votes say: `base` if they are wrong, and `ratio` more if right."""
    for cell in range(len(source)):
        base[cell] = log_spam[source[cell]] + log_strategy[cell]
        ratio[cell] = softplus(log_know[source[cell]] - base[cell])
