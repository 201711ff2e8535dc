"""The records of review: decisions, samples, key changes, discussion, figures."""

from review.models.decisions import AcceptedReason, Adjudication, Basis, Cause, DecisionLease, Outcome, Return
from review.models.figures import AgreementSnapshot, ReasonPair
from review.models.keys import KeyProposal
from review.models.queue import DecisionQueue, Kind, PendingDecision
from review.models.samples import Confirmation, Recheck, RecheckItem, SampleLook
from review.models.talk import Comment, Mention

__all__ = [
    "AcceptedReason",
    "Adjudication",
    "AgreementSnapshot",
    "Basis",
    "Cause",
    "Comment",
    "Confirmation",
    "DecisionLease",
    "DecisionQueue",
    "KeyProposal",
    "Kind",
    "Mention",
    "Outcome",
    "PendingDecision",
    "ReasonPair",
    "Recheck",
    "RecheckItem",
    "Return",
    "SampleLook",
]
