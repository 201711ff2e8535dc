"""What a report says, in sections of tables and notes that every form of it shares; every share with its fraction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from exports.differences import points
from exports.reports.figures import METRICS, UNDEFINED, figure, headed, is_checked, percent, score_rows, trust_word
from exports.reports.summary import judge_told, reasons_told


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, a table (its first column names the row), and sentences below."""

    title: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = field(default_factory=tuple)


def sections(report: Mapping[str, Any]) -> list[Section]:
    """All sections of a grade report; those without figures are left out, with the reason where there is one."""
    made = [_scores(report), _beside(report), _answers(report), _reasons(report), *_confidence(report)]
    return [*made, *_breakdowns(report), _how(report)]


def _scores(report: Mapping[str, Any]) -> Section:
    rows = [[name, *(str(each) for each in figures.values())] for name, figures in score_rows(report)]
    weights = report["how"]["weights"]
    notes = [
        f"Headline: {report['headline']}.",
        f"MR-Score = {weights['mcc']:g} max(0, MCC) + {weights['acc_step']:g} step + {weights['acc_reason']:g} reason. "
        "Step and reason are shares of the incorrect solutions; F1 is the harmonic mean of step and correct. "
        "In percent, with 95 % intervals over problems.",
    ]
    if is_checked(report):
        notes.append(
            "Corrected figures use people's checks of the model's verdicts on reasons; beside them stands what the "
            "model's verdicts alone make, raw."
        )
    if report["reasons"]["why_null"]:
        notes.append(f"MR-Score and reason have no value: {report['reasons']['why_null']}")
    return Section("Scores", ["", *headed(report, METRICS, corrected=True).values()], rows, notes)


def _beside(report: Mapping[str, Any]) -> Section:
    """Judges that know nothing, people, and a perfect judge."""

    def row(name: str, found: Mapping[str, Any]) -> list[str]:
        return [name, *(str(figure(found, metric)) for metric in METRICS)]

    rows = [
        row(f"{each['name'].replace('_', ' ')}: {each['description']}", each["macro"]) for each in report["baselines"]
    ]
    human, ceiling = report.get("human"), report.get("ceiling")
    if human:
        rows.append(row(f"people: {human['about']} (n {human['n']}, {human['annotators']} annotators)", human["macro"]))
    if ceiling:
        rows.append(row("perfect judge, given wrong gold labels", ceiling))
    notes = [report[why] for why in ("why_no_human", "why_no_ceiling") if report.get(why)]
    return Section("Beside it", ["", *METRICS.values()], rows, notes)


def _answers(report: Mapping[str, Any]) -> Section:
    answers, n = report["answers"], report["counts"]["n"]
    rows = [[status.replace("_", " "), f"{number}/{n}"] for status, number in answers["statuses"].items() if number]
    rows += [[f"flag: {flag.replace('_', ' ')}", f"{number}/{n}"] for flag, number in answers["flags"].items()]
    rows += [
        [f"field that means nothing: {name}", str(number)] for name, number in answers.get("unread_fields", {}).items()
    ]
    notes = [f"{percent(report['parse_rate'])} % of the items have a verdict that was understood.",
             f"Policy: {report['how']['unparsed_policy']}."]  # fmt: skip
    cost = report.get("cost")
    if cost:
        money = "" if cost["cost"] is None else f"; cost {cost['cost']:.4f}, {cost['cost_per_item']:.6f} an item"
        tokens = f"{cost['prompt_tokens']} in prompts, {cost['completion_tokens']} in replies"
        notes.append(f"Tokens of {cost['n']} answers: {tokens}{money}.")
    scores = report.get("step_scores")
    if scores:
        rows.append(["PRMScore", f"{percent(scores['prm_score'])} ({sum(scores['counts'].values())} steps)"])
        tuned = f", tuned on {scores['tuned']['split']}: {scores['tuned']['how']}" if scores["tuned"] else ""
        notes.append(
            f"Steps are wrong at or below a score of {scores['threshold']:g}{tuned}. {scores['steps_counted']}."
        )
    return Section("Answers", ["", "items"], rows, notes)


def _reasons(report: Mapping[str, Any]) -> Section:
    reasons, trust = report["reasons"], report["reasons"].get("trust", {})
    if reasons["why_null"]:
        return Section("Reasons", notes=[reasons["why_null"]])
    word = f" ({trust_word(report)})" if trust_word(report) else ""
    rows = [["compared", str(reasons["compared"])], [f"the same{word}", f"{reasons['same']}/{reasons['compared']}"],
            ["undecided", f"{len(reasons['unresolved'])}/{reasons['compared']}"]]  # fmt: skip
    notes = []
    if reasons["mode"] == "llm":
        notes.append(f"Compared by {reasons.get('model')}, prompt {reasons.get('prompt_version')}.")
    if trust_word(report) == "unchecked":
        notes.append("Unchecked: no people have checked a sample of the model's verdicts; they may be biased.")
    if trust.get("status") == "checked":
        told, right = trust["agreement"], trust["right_given_step"]
        rows += [["checked by people", f"{told['n_checked']}/{told['n_compared']}"],
                 ["kappa, model and people", _number(told["kappa"], told["intervals"]["kappa"])],
                 ["bias of the model in points", points(told["bias"])],
                 ["right, given the step", f"{percent(right['estimate'])} (raw {percent(right['raw'])})"]]  # fmt: skip
    checks = reasons.get("self_checks")
    if checks:
        for name in ("false_credit", "false_denial"):
            undecided = checks[name].get("undecided", 0)
            told = f"{checks[name]['failed'] - undecided}/{checks[name]['n']}"
            rows.append([f"decoys: {name.replace('_', ' ')}", told + (f", {undecided} undecided" if undecided else "")])
        rows.append(["changed in another order", f"{checks['order_swap']['changed']}/{checks['order_swap']['n']}"])
    return Section("Reasons", ["", "verdicts"], rows, notes)


def _number(value: float | None, around: Sequence[float] | None = None) -> str:
    if value is None:
        return UNDEFINED
    return f"{value:.2f}" + (f" [{around[0]:.2f}, {around[1]:.2f}]" if around else "")


def _confidence(report: Mapping[str, Any]) -> list[Section]:
    sure, risk = report.get("calibration"), report.get("risk_coverage")
    if not sure or not risk:
        return [Section("Confidence", notes=[report.get("why_no_confidence") or "Not measured."])]
    rows = [
        [f"{percent(each['range'][0])}–{percent(each['range'][1])}", percent(each["confidence"]),
         f"{percent(each['share'])} ({each['right']}/{each['n']})",
         f"[{percent(each['interval'][0])}, {percent(each['interval'][1])}]"]
        for each in sure["bins"]
    ]  # fmt: skip
    notes = [
        f"{_calibration_errors(sure)}; n {sure['n']}. Over subject means: {percent(sure['by_subject']['rms'])}.",
        "RMS and ECE are the root mean square and the mean distance of share right from mean confidence over bins "
        "that hold about equally many answers, in points; the Brier score is the mean squared distance of confidence "
        "from 1 (right) or 0 (wrong). Intervals of 95 % over problems say how far the figures vary with the problems; "
        "RMS and ECE are above 0 by chance alone, so hold them against what a calibrated judge would show.",
    ]
    covered = [[f"risk at {float(at) * 100:g} % coverage", percent(value)] for at, value in risk["risk_at"].items()]
    covered += [
        [f"coverage at {float(at) * 100:g} % risk", percent(value)] for at, value in risk["coverage_at"].items()
    ]
    told = (
        f"AURC {risk['aurc']:.4f}, E-AURC {risk['e_aurc']:.4f}; {risk['n']}/{risk['n_items']} items have a confidence."
    )
    return [
        Section("Calibration", ["confidence", "mean", "right", "95 % interval"], rows, notes),
        Section("Risk and coverage", ["", "percent"], covered, [told]),
    ]


def _calibration_errors(sure: Mapping[str, Any]) -> str:
    """RMS error, ECE and Brier score, each with its interval where there is one."""
    spans, expected = sure.get("intervals") or {}, sure["expected_if_calibrated"]

    def points(name: str) -> str:
        around = spans.get(name)
        span = f" [{percent(around[0])}, {percent(around[1])}]" if around else ""
        return f"{percent(sure[name])}{span} points (a calibrated judge would show {percent(expected[name])})"

    around = spans.get("brier")
    brier = f"Brier {sure['brier']:.3f}" + (f" [{around[0]:.3f}, {around[1]:.3f}]" if around else "")
    return f"RMS calibration error {points('rms')}, ECE {points('ece')}, {brier}"


def _breakdowns(report: Mapping[str, Any]) -> list[Section]:
    names = {"acc_step": "Step", "acc_step_within_one": "Within one step", "acc_reason": "Reason",
             "correct_accuracy": "Correct", "f1": "F1", "mcc": "MCC"}  # fmt: skip
    word = trust_word(report)
    notes = (
        [f"Reason is {word} here: corrected figures are made for averages and subjects only."] if word == "raw" else []
    )
    return [
        Section(
            f"By {name.replace('_', ' ')}",
            ["", "n", *headed(report, names).values()],
            [[row["value"], str(row["n"]), *(str(figure(row, metric)) for metric in names)] for row in rows],
            notes,
        )
        for name, rows in report.get("breakdowns", {}).items()
    ]


def _how(report: Mapping[str, Any]) -> Section:
    how, boot = report["how"], report["how"]["bootstrap"]
    rows = [
        ["release", f"{how['release'].get('project')} {how['release'].get('version')}"],
        ["release hash", str(how["release"]["hash"])],
        ["answers (sha256)", str(report["answers"]["sha256"])],
        ["judge", judge_told(report)],
        ["reasons", reasons_told(report)],
        ["scorer", str(how["scorer_version"])],
        ["parser", f"{how.get('parser', 'stepmark')}, {how['parser_version']}"],
        ["intervals", f"{boot['resamples']} resamples of whole problems within subjects, seed {boot['seed']}"],
    ]
    return Section("How it was made", ["", ""], rows)
