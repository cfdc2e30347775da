"""What a list of accepted verdicts promises, and why it is no longer, in plain sentences."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.data.notes import plural
from veracity.evaluation.guarantee import MODEST, Guarantee, Prefix, least_audits
from veracity.workflow.acceptance import Accepted
from veracity.workflow.audits import AuditState


def headline(accepted: Accepted) -> str:
    """Say how many verdicts can be accepted, and with what promise."""
    guarantee, limit = accepted.guarantee, accepted.guarantee.limit
    of_all = f"of {plural(accepted.n_verdicts, 'verdict')}"
    if accepted.basis == "expected":
        return (
            f"Expected: {accepted.n_accepted:,} {of_all} can be accepted at an expected error rate "
            f"of {percent(limit.error_rate)}, with {accepted.expected_errors:,.1f} expected errors."
        )
    if guarantee.listed is None:
        return f"No verdict can be guaranteed at {limit} yet."
    return (
        f"Guaranteed: {accepted.n_accepted:,} {of_all} can be accepted. With "
        f"{percent(limit.confidence)} confidence, at most {percent(limit.error_rate)} of them are "
        "wrong."
    )


def reasons(accepted: Accepted) -> list[str]:
    """Say what the promise rests on, why the list is no longer, and what would make it longer."""
    guarantee = accepted.guarantee
    if accepted.basis == "expected":
        return [*_not_guaranteed(guarantee), *state_sentences(accepted.state)]
    said = [_audited(guarantee)]
    if guarantee.listed is not None:
        said.append(_tested(guarantee.listed))
        further = accepted.n_accepted - guarantee.n_listed
        if further > 0:
            more = plural(further, "more item is", "more items are")
            said.append(
                f"{more} listed, because {'its' if further == 1 else 'their'} truth is known."
            )
    said.append(_why_no_more(guarantee))
    if accepted.modest is not None and guarantee.listed is None:
        said.append(offer(accepted.modest))
    return [*said, *state_sentences(accepted.state)]


def offer(modest: Guarantee) -> str:
    """Say what a sample carries at the modest limit."""
    if modest.listed is None:
        return f"At {modest.limit} nothing can be guaranteed either. {_why_no_more(modest)}"
    return (
        f"At {modest.limit}, the same audits guarantee {plural(modest.n_listed, 'verdict')} "
        f"({percent(round(modest.share, 3))})."
    )


def progress_sentence(state: AuditState, guarantees: Sequence[Guarantee]) -> str:
    """Say how far an audit is, and how many verdicts can be accepted at some limits.

    Limits at which something can be accepted come first.
    """
    if not state.n_drawn:
        return "Nothing is drawn yet."
    done = state.n_marked + state.n_skipped
    n_wrong = state.n_wrong + state.n_skipped
    text = f"{done:,} of {state.n_drawn:,}; {n_wrong:,} wrong so far"
    found = [one for one in guarantees if one.listed is not None]
    parts = [f"{plural(one.n_listed, 'verdict')} can be accepted at {one.limit}" for one in found]
    nothing = [str(one.limit) for one in guarantees if one.listed is None]
    if nothing:
        parts.append(
            f"none yet at {' or '.join(nothing)}"
            if found
            else f"no verdict can be accepted yet at {' or at '.join(nothing)}"
        )
    provisional = " Provisional, until all that are drawn are marked." if state.n_open else ""
    return f"{text}; {', '.join(parts)}.{provisional}"


def state_sentences(state: AuditState) -> list[str]:
    """Say what keeps audits from counting, or bends what they promise."""
    said = []
    if state.n_new:
        said.append(
            f"{plural(state.n_new, 'item is', 'items are')} new since the draw, and not drawn yet. "
            "Until they are drawn and marked, audits that come after them do not count."
        )
    late = state.n_marked + state.n_skipped - state.n_counted
    if late and state.next is not None:
        said.append(
            f"{plural(late, 'audit does', 'audits do')} not count yet: what counts ends before the "
            f"first open item, number {state.next.number:,} of the draw."
        )
    if state.n_open and state.n_counted:
        said.append(
            f"{plural(state.n_open, 'drawn item is', 'drawn items are')} open. The promise holds "
            "for a number of audits that is chosen before looking: mark all that are drawn."
        )
    if state.n_skipped:
        said.append(
            f"{plural(state.n_skipped, 'skipped audit counts', 'skipped audits count')} as wrong, "
            f"and {'is' if state.n_skipped == 1 else 'are'} not listed."
        )
    return said


def percent(share: float) -> str:
    """Write a share for a person."""
    return f"{100 * share:g} %"


def _audited(guarantee: Guarantee) -> str:
    wrong = plural(guarantee.n_wrong, "is", "are")
    return f"{plural(guarantee.n_audits, 'verdict is', 'verdicts are')} audited; {wrong} wrong."


def _tested(prefix: Prefix) -> str:
    left_out = prefix.n_ranked - prefix.n_listed
    text = (
        f"The list is the {prefix.n_ranked:,} most plausible verdicts: "
        f"{plural(prefix.n_audited, 'audit')}, {prefix.n_wrong:,} wrong, "
        f"{prefix.n_allowed:,} allowed."
    )
    if left_out:
        text += (
            f" {plural(left_out, 'of them is', 'of them are')} left out: judged without labels of "
            f"the same part, {'it has' if left_out == 1 else 'they have'} another verdict."
        )
    return text


def _why_no_more(guarantee: Guarantee) -> str:
    """Say what ended the list, and what would make it longer."""
    if guarantee.n_audits < guarantee.n_least:
        return (
            f"It takes at least {plural(guarantee.n_least, 'audit')}, if none is wrong: "
            f"{plural(guarantee.n_more, 'more audit')}."
        )
    failed = guarantee.failed
    if failed is None:
        return "There is no longer list: these are all verdicts."
    called = "next longer" if guarantee.listed is not None else "shortest"
    allowed = f"{failed.n_allowed:,} allowed" if failed.n_allowed >= 0 else "too few to tell"
    text = (
        f"The {called} list, of {failed.n_ranked:,}, fails: {plural(failed.n_audited, 'audit')}, "
        f"{failed.n_wrong:,} wrong, {allowed}."
    )
    if failed.n_wrong <= guarantee.limit.error_rate * failed.n_audited:
        return (
            f"{text} About {plural(guarantee.n_more, 'more audit')} can save it, if none is wrong."
        )
    if guarantee.listed is None:
        text += " More audits would let shorter lists be tested."
    return text


def _not_guaranteed(guarantee: Guarantee) -> list[str]:
    limit = guarantee.limit
    least = least_audits(limit, guarantee.n_items or None)
    modest = least_audits(MODEST, guarantee.n_items or None)
    text = (
        "This follows from the plausibilities alone and is not guaranteed: no audit counts yet. "
        f"A guarantee at {limit} takes at least {least:,} audits"
    )
    if modest < least:
        text += f", one at {MODEST} at least {modest:,}"
    return [f"{text}."]
