"""The compiled passes over the chain of an item: forward, backward, and when it changed.

The truth of an item is one of its values, or one that nobody claims. At a rate it is drawn anew, so
that over a gap d it stays as it is with probability s = exp(-rate d), and is drawn from p
otherwise: the transition matrix is s I + (1 - s) 1 p', and a step costs as much as there are
values. The claims of an item are steps in the order of time. A claim of a value has two
likelihoods, `hit` if that value is the truth at the time and `miss` if it is another.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.compiled import compiled

#: No likelihood of a step is less than this, so that known truth can contradict all claims.
LEAST = 1e-300
#: A change is found by halving a gap between claims this often.
HALVINGS = 40
#: How sure it is that a change has not happened yet, or has happened, at the ends of its interval.
EARLY, LATE = 0.05, 0.95


@compiled
def prior_of(n_values: int, domain: int) -> Any:
    """Return the prior probability of each claimed value, and of one that nobody claims."""
    prior = np.full(n_values + 1, 1.0 / domain)
    prior[n_values] = max(domain - n_values, 0) / domain
    return prior


@compiled
def forward(prior: Any, slot: Any, hit: Any, miss: Any, stay: Any, alpha: Any) -> Any:
    """Set the belief after each step, given the steps up to it; return the log-likelihood."""
    n_steps, width = alpha.shape
    log_likelihood = 0.0
    for step in range(n_steps):
        total = 0.0
        for state in range(width):
            believed = prior[state]
            if step > 0:
                kept = stay[step]
                believed = kept * alpha[step - 1, state] + (1.0 - kept) * prior[state]
            believed *= hit[step] if state == slot[step] else miss[step]
            alpha[step, state] = believed
            total += believed
        total = max(total, LEAST)
        log_likelihood += np.log(total)
        for state in range(width):
            alpha[step, state] /= total
    return log_likelihood


@compiled
def backward(prior: Any, slot: Any, hit: Any, miss: Any, stay: Any, ahead: Any) -> None:
    """Set how likely the later steps are, given the state at each, up to a factor."""
    n_steps, width = ahead.shape
    ahead[n_steps - 1, :] = 1.0
    for step in range(n_steps - 2, -1, -1):
        following, kept = step + 1, stay[step + 1]
        drawn = 0.0
        for state in range(width):
            likelihood = hit[following] if state == slot[following] else miss[following]
            ahead[step, state] = ahead[following, state] * likelihood
            drawn += prior[state] * ahead[step, state]
        most = LEAST
        for state in range(width):
            ahead[step, state] = kept * ahead[step, state] + (1.0 - kept) * drawn
            most = max(most, ahead[step, state])
        for state in range(width):
            ahead[step, state] /= most


@compiled
def gamma_of(alpha: Any, ahead: Any) -> Any:
    """Return the belief at each step, given all steps."""
    gamma = alpha * ahead
    for step in range(gamma.shape[0]):
        gamma[step] /= max(gamma[step].sum(), LEAST)
    return gamma


@compiled
def expect(chains: Any, rate: Any, hit: Any, miss: Any, current: Any, draws: Any) -> Any:
    """Find how likely each claimed value is true at its time; return the log-likelihood by item.

    Sets `current` of each step, and `draws`, how often the truth of each item is expected to have
    been drawn anew.
    """
    n_items = len(chains.start) - 1
    log_likelihood = np.zeros(n_items)
    for item in range(n_items):
        first, last = chains.start[item], chains.start[item + 1]
        prior = prior_of(chains.n_values[item], chains.domain[item])
        slot, gap = chains.slot[first:last], chains.gap[first:last]
        stay = np.exp(-rate[item] * gap)
        alpha = np.empty((last - first, len(prior)))
        ahead = np.empty((last - first, len(prior)))
        log_likelihood[item] = forward(prior, slot, hit[first:last], miss[first:last], stay, alpha)
        backward(prior, slot, hit[first:last], miss[first:last], stay, ahead)
        gamma = gamma_of(alpha, ahead)
        for step in range(last - first):
            current[first + step] = gamma[step, slot[step]]
            if step > 0 and stay[step] < 1.0:
                anew = _drawn_anew(
                    prior, slot[step], hit[first + step], miss[first + step], stay[step],
                    alpha[step - 1], ahead[step],
                )  # fmt: skip
                expected = rate[item] * gap[step] / (1.0 - stay[step])
                draws[item] += anew * expected
    return log_likelihood


@compiled
def _drawn_anew(
    prior: Any, slot: int, hit: float, miss: float, stay: float, before: Any, ahead: Any
) -> Any:
    """Return how likely the truth was drawn anew before a step, be it as it was before."""
    drawn, kept = 0.0, 0.0
    for state in range(len(prior)):
        likelihood = (hit if state == slot else miss) * ahead[state]
        drawn += prior[state] * likelihood
        kept += before[state] * likelihood
    drawn, kept = (1.0 - stay) * drawn, stay * kept
    return drawn / max(drawn + kept, LEAST)


@compiled
def believe(chains: Any, rate: Any, hit: Any, miss: Any, belief: Any) -> None:
    """Set how likely each value of each item is true at the time that is asked about."""
    for item in range(len(chains.start) - 1):
        first, last = chains.start[item], chains.start[item + 1]
        prior = prior_of(chains.n_values[item], chains.domain[item])
        slot, gap = chains.slot[first:last], chains.gap[first:last]
        stay = np.exp(-rate[item] * gap)
        alpha = np.empty((last - first, len(prior)))
        ahead = np.empty((last - first, len(prior)))
        forward(prior, slot, hit[first:last], miss[first:last], stay, alpha)
        backward(prior, slot, hit[first:last], miss[first:last], stay, ahead)
        asked = chains.asked[item] - first
        gamma = alpha[asked] * ahead[asked]
        total = max(gamma.sum(), LEAST)
        place = chains.value_start[item]
        for value in range(chains.n_values[item]):
            belief[place + value] = gamma[value] / total


@compiled
def find_spells(chains: Any, rate: Any, hit: Any, miss: Any, spells: Any) -> int:
    """Set the spells of all items: runs of time in which one value is the most plausible.

    A row of `spells` has item, value, begin, end, mean plausibility, the interval of the change
    that begins it, and how plausible that change is. NaN stands for a begin or end that no claim
    shows. Returns the number of spells; a time in which the truth is a value that nobody claims
    is none.
    """
    count = 0
    for item in range(len(chains.start) - 1):
        first, last = chains.start[item], chains.start[item + 1]
        prior = prior_of(chains.n_values[item], chains.domain[item])
        slot, gap, time = chains.slot[first:last], chains.gap[first:last], chains.time[first:last]
        stay = np.exp(-rate[item] * gap)
        alpha = np.empty((last - first, len(prior)))
        ahead = np.empty((last - first, len(prior)))
        forward(prior, slot, hit[first:last], miss[first:last], stay, alpha)
        backward(prior, slot, hit[first:last], miss[first:last], stay, ahead)
        gamma = gamma_of(alpha, ahead)
        n_steps, n_values = last - first, chains.n_values[item]
        step = 0
        begin, low, high, sure = np.nan, np.nan, np.nan, np.nan
        while step < n_steps:
            best = np.argmax(gamma[step])
            end = step + 1
            while end < n_steps and gamma[end, best] >= gamma[end].max():
                end += 1
            finish = np.nan
            low_next, high_next, sure_next = np.nan, np.nan, np.nan
            if end < n_steps:
                following = np.argmax(gamma[end])
                hits, misses = hit[first + end], miss[first + end]
                after = ahead[end].copy()
                for state in range(len(prior)):
                    after[state] *= hits if state == slot[end] else misses
                share = _crossing(
                    prior, alpha[end - 1], after, rate[item], gap[end], best, following
                )
                finish = time[end - 1] + share * (time[end] - time[end - 1])
                low_next, high_next = _interval(gamma[:, following], time, end)
                sure_next = _between(prior, alpha[end - 1], after, stay[end], best, following)
            if best < n_values:
                row = spells[count]
                row[0], row[1], row[2], row[3] = item, best, begin, finish
                row[4] = gamma[step:end, best].mean()
                row[5], row[6], row[7] = low, high, sure
                count += 1
            begin, low, high, sure = finish, low_next, high_next, sure_next
            step = end
    return count


@compiled
def _crossing(
    prior: Any, before: Any, after: Any, rate: float, gap: float, old: int, new: int
) -> Any:
    """Return the share of a gap after which the new value is more plausible than the old one."""
    drawn = 0.0
    for state in range(len(prior)):
        drawn += prior[state] * after[state]
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        past, rest = np.exp(-rate * gap * middle), np.exp(-rate * gap * (1.0 - middle))
        of_old = past * before[old] + (1.0 - past) * prior[old]
        of_old *= rest * after[old] + (1.0 - rest) * drawn
        of_new = past * before[new] + (1.0 - past) * prior[new]
        of_new *= rest * after[new] + (1.0 - rest) * drawn
        if of_new > of_old:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


@compiled
def _between(prior: Any, before: Any, after: Any, stay: float, old: int, new: int) -> Any:
    """Return how likely one value is true before a gap and another after it."""
    total, drawn = 0.0, 0.0
    for state in range(len(prior)):
        total += stay * before[state] * after[state]
        drawn += prior[state] * after[state]
    total += (1.0 - stay) * drawn
    return before[old] * (1.0 - stay) * prior[new] * after[new] / max(total, LEAST)


@compiled
def _interval(of_new: Any, time: Any, end: int) -> Any:
    """Return the last time at which a change surely had not happened, and the first after it."""
    low, high = end - 1, end
    while low > 0 and of_new[low] > EARLY:
        low -= 1
    while high < len(of_new) - 1 and of_new[high] < LATE:
        high += 1
    return time[low], time[high]
