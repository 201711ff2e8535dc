"""What a report says, in sections of tables and notes that every form of it shares; every share with its fraction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

METRICS = {
    "mr_score": "MR-Score",
    "mcc": "MCC",
    "acc_step": "Step",
    "acc_reason": "Reason",
    "f1": "F1",
    "correct_accuracy": "Correct",
}
_FRACTIONS = {
    "acc_step": ("step_hits", "n_incorrect"),
    "acc_reason": ("reason_hits", "n_incorrect"),
    "correct_accuracy": ("tp", "n_correct"),
}
UNDEFINED = "–"


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


def title_of(report: Mapping[str, Any]) -> str:
    """The heading of the whole."""
    release = report["how"]["release"]
    return f"Judge report: {release.get('project')} {release.get('version')}"


def percent(value: float | None) -> str:
    """A share of 1 in percent with one decimal."""
    return UNDEFINED if value is None else f"{100 * value:.1f}"


def reason_heading(report: Mapping[str, Any]) -> str:
    """The name of ACC_reason with the word that has to stand beside a model's verdicts."""
    status = report["reasons"].get("trust", {}).get("status")
    return {"unchecked": "Reason (unchecked)", "checked": "Reason (raw)"}.get(status, "Reason")


def score_rows(report: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Name, figures and intervals of each row of the table of scores, the corrected ones first."""
    spans = report["intervals"]
    for name, found in report["reasons"].get("trust", {}).get("corrected", {}).items():
        if name != "subjects":
            yield (
                f"{name}, corrected",
                {**_without_counts(report[name]), **found},
                {**spans.get(name, {}), **found["intervals"]},
            )
    yield "macro mean of subjects", report["macro"], spans["macro"]
    yield f"pooled (n {report['counts']['n']})", report["pooled"], spans["pooled"]
    yield "item-weighted mean", report["item_weighted"], {}
    for name, found in report["subjects"].items():
        yield f"{name or 'no subject'} (n {found['counts']['n']})", found, spans["subjects"][name]


def _without_counts(found: Mapping[str, Any]) -> dict[str, Any]:
    """Corrected figures are no plain fractions."""
    return {name: value for name, value in found.items() if name != "counts"}


def _cell(found: Mapping[str, Any], spans: Mapping[str, Any], metric: str) -> str:
    value = found.get(metric)
    if value is None:
        return UNDEFINED
    around, counts = spans.get(metric), found.get("counts")
    text = percent(value)
    if counts and metric in _FRACTIONS:
        part, whole = _FRACTIONS[metric]
        text += f" ({counts[part]}/{counts[whole]})"
    return text + (f" [{percent(around[0])}, {percent(around[1])}]" if around else "")


def _scores(report: Mapping[str, Any]) -> Section:
    named = {**METRICS, "acc_reason": reason_heading(report)}
    rows = [[name, *(_cell(found, spans, metric) for metric in METRICS)] for name, found, spans in score_rows(report)]
    weights = report["how"]["weights"]
    notes = [
        f"Headline: {report['headline']}.",
        f"MR-Score = {weights['mcc']:g} max(0, MCC) + {weights['acc_step']:g} step + {weights['acc_reason']:g} reason. "
        "Step and reason are shares of the incorrect solutions; F1 is the harmonic mean of step and correct. "
        "In percent, with 95 % intervals over problems.",
    ]
    if report["reasons"]["why_null"]:
        notes.append(f"MR-Score and reason have no value: {report['reasons']['why_null']}")
    return Section("Scores", ["", *named.values()], rows, notes)


def _beside(report: Mapping[str, Any]) -> Section:
    """Judges that know nothing, people, and a perfect judge."""
    rows = [
        [
            f"{each['name'].replace('_', ' ')}: {each['description']}",
            *(_cell(each["macro"], {}, metric) for metric in METRICS),
        ]
        for each in report["baselines"]
    ]
    human, ceiling = report.get("human"), report.get("ceiling")
    if human:
        told = f"people: {human['about']} (n {human['n']}, {human['annotators']} annotators)"
        rows.append([told, *(_cell(human["macro"], {}, metric) for metric in METRICS)])
    if ceiling:
        rows.append(["perfect judge, given wrong gold labels", *(percent(ceiling.get(metric)) for metric in METRICS)])
    notes = [report[why] for why in ("why_no_human", "why_no_ceiling") if report.get(why)]
    return Section("Beside it", ["", *METRICS.values()], rows, notes)


def _answers(report: Mapping[str, Any]) -> Section:
    answers, n = report["answers"], report["counts"]["n"]
    rows = [[status.replace("_", " "), f"{number}/{n}"] for status, number in answers["statuses"].items() if number]
    rows += [[f"flag: {flag.replace('_', ' ')}", f"{number}/{n}"] for flag, number in answers["flags"].items()]
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
    rows = [["compared", str(reasons["compared"])], ["the same", f"{reasons['same']}/{reasons['compared']}"],
            ["undecided", f"{len(reasons['unresolved'])}/{reasons['compared']}"]]  # fmt: skip
    notes = []
    if reasons["mode"] == "llm":
        notes.append(f"Compared by {reasons.get('model')}, prompt {reasons.get('prompt_version')}.")
    if trust.get("status") == "unchecked":
        notes.append("Unchecked: no people have checked a sample of the model's verdicts; they may be biased.")
    if trust.get("status") == "checked":
        told, right = trust["agreement"], trust["right_given_step"]
        rows += [["checked by people", f"{told['n_checked']}/{told['n_compared']}"],
                 ["kappa, model and people", _number(told["kappa"], told["intervals"]["kappa"])],
                 ["bias of the model in points", _number(100 * told["bias"])],
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
        f"RMS calibration error {percent(sure['rms'])} points (a calibrated judge would show "
        f"{percent(sure['expected_if_calibrated']['rms'])}), ECE {percent(sure['ece'])}, Brier {sure['brier']:.3f}; "
        f"n {sure['n']}. Over subject means: {percent(sure['by_subject']['rms'])}.",
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


def _breakdowns(report: Mapping[str, Any]) -> list[Section]:
    shown = {"acc_step": "Step", "acc_step_within_one": "Within one step", "correct_accuracy": "Correct", "f1": "F1"}
    return [
        Section(
            f"By {name.replace('_', ' ')}",
            ["", "n", *shown.values()],
            [[row["value"], str(row["n"]), *(_cell(row, {}, metric) for metric in shown)] for row in rows],
        )
        for name, rows in report.get("breakdowns", {}).items()
    ]


def _how(report: Mapping[str, Any]) -> Section:
    how, boot = report["how"], report["how"]["bootstrap"]
    rows = [
        ["release", f"{how['release'].get('project')} {how['release'].get('version')}"],
        ["release hash", str(how["release"]["hash"])],
        ["answers (sha256)", str(report["answers"]["sha256"])],
        ["scorer", str(how["scorer_version"])],
        ["parser", f"{how.get('parser', 'stepmark')}, {how['parser_version']}"],
        ["intervals", f"{boot['resamples']} resamples of whole problems within subjects, seed {boot['seed']}"],
    ]
    return Section("How it was made", ["", ""], rows)
