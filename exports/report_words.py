"""What people call the names that reports hold: statuses and flags of answers, groups, figures, flips."""

from django.utils.translation import gettext_lazy as _

REPORT_WORDS = {
    # statuses of answers
    "parsed": _("parsed"),
    "partial": _("incorrect without a usable step"),
    "unparsed": _("not understood"),
    "refused": _("refused to answer"),
    "timed_out": _("timed out"),
    "failed": _("call failed"),
    "abstained": _("abstained"),
    "missing": _("missing"),
    # flags of answers
    "ambiguous_step": _("ambiguous step"),
    "contradiction": _("contradicts itself"),
    "duplicate_identical": _("answered twice alike"),
    "empty": _("empty answer"),
    "reason_unresolved": _("reason not decided"),
    "repeated_label": _("step number stands several times"),
    "split_vote": _("split vote"),
    "step_missing": _("no step given"),
    "step_out_of_range": _("step does not exist"),
    "step_unclear": _("unclear step"),
    "thinking_unfinished": _("thinking unfinished"),
    "tied_vote": _("tied vote"),
    "wrong_number_of_scores": _("wrong number of scores"),
    # groups of items
    "first_error": _("place of the first erroneous step"),
    "number_of_steps": _("number of steps"),
    "sampled_from": _("sampled from"),
    "level": _("level"),
    "right_answer_wrong_process": _("right answer by a wrong process"),
    "16 or more": _("16 or more"),
    "11 or later": _("11 or later"),
    "right answer, wrong process": _("right answer, wrong process"),
    "wrong answer": _("wrong answer"),
    # baselines
    "always_correct": _("always correct"),
    "always_incorrect": _("always incorrect"),
    "answer_oracle": _("answer oracle"),
    # figures
    "label_error": _("share of wrong gold labels"),
    "accuracy": _("accuracy"),
    "mcc": "MCC",
    "f1": "F1",
    "mr_score": "MR-Score",
    "macro mr_score": _("MR-Score, mean over subjects"),
    "macro f1": _("F1, mean over subjects"),
    "acc_step": _("Step"),
    "acc_reason": _("Reason"),
    "error_accuracy": _("Accuracy on incorrect solutions"),
    "correct_accuracy": _("Accuracy on correct solutions"),
    # flips between two judges
    "verdict": _("Verdict"),
    "step": _("First error step"),
    "reason": _("Reason"),
    "repaired": _("Repaired"),
    "broken": _("Broken"),
    "both_right": _("Both right"),
    "both_wrong": _("Both wrong"),
}
