"""Grade reports in every form: complete, with fractions, escaped, and honest about unchecked reasons."""

import json
import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from exports.grading import GradeReport, grade
from exports.human_checks import read_checks
from exports.parsing import read_answers
from exports.reports import FORMATS, NoReport, check_report, plot, render
from exports.reports.latex import escaped
from exports.reports.plots import PLOTS
from exports.reports.summary import headline
from exports.tables import show_report
from exports.trust import with_checks
from tests.exports.small_release import solution
from tests.exports.test_double_sampling import filled, graded
from tests.exports.test_grading import release, replying

HOSTILE = '<script>alert("1")</script> & | `x` $\\evil{y}_1 %'


@cache
def report() -> dict[str, Any]:
    """Three subjects, one with a hostile name; 2 of 4 steps found in math; confidence given."""
    items = [solution(f"w{n}", n % 2, problem=f"p{n}") for n in range(4)]
    items += [solution("r", None), solution("h", 1, subject=HOSTILE), solution("b", None, subject="biology")]
    lines = []
    for n, item in enumerate(items):
        assert item.gold is not None
        gold = item.gold.verdict
        said: dict[str, Any] = {"id": item.id, "correct": gold.correct, "confidence": 0.5 + n / 20}
        if not gold.correct:
            said |= {"first_error": (gold.first_error or 0) + (0 if n < 2 else 1), "reason": "because"}
        lines.append(json.dumps(said).encode())
    answers = read_answers(lines, items)
    made = grade(release(items), answers, reasons=replying("Verdict: same"), label_noise=0.02)
    stored: dict[str, Any] = json.loads(json.dumps(made.as_dict()))
    return stored


class Tags(HTMLParser):
    """What a browser would see: tags, attributes, text, and whether all is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def seen(text: str) -> Tags:
    found = Tags()
    found.feed(text)
    assert found.open == []
    return found


def test_the_page_is_whole_escaped_and_needs_nothing_else() -> None:
    text = render(report(), "html")
    found = seen(text)
    assert "script" not in found.tags
    assert HOSTILE in found.text
    assert not [name for name, _ in found.attributes if name.startswith("on") or name in ("src", "href")]
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in found.attributes
    for title in ("Scores", "Beside it", "Answers", "Reasons", "Calibration", "Risk and coverage", "How it was made"):
        assert f"<h2>{title}</h2>" in text
    assert text.count("<svg") == 3


def test_shares_have_their_fractions_and_undefined_is_no_number() -> None:
    text = render(report(), "md")
    line = next(line for line in text.splitlines() if line.startswith("| math (n 5)"))
    assert "50.0 (2/4)" in line
    line = next(line for line in text.splitlines() if line.startswith("| biology (n 1)"))
    # no incorrect solution in biology: only MCC (0/0, counted as 0) and the one correct solution have values
    assert line.split("|")[2:-1] == [" – ", " 0.0 ", " – ", " – ", " – ", " 100.0 (1/1) "]


@cache
def checked() -> dict[str, Any]:
    """Two subjects, 30 of 60 verdicts "same"; people take back every third of what they are shown."""
    made = with_checks(graded(), read_checks(filled(graded(), lambda n, _: n % 3 != 0))).as_dict()
    stored: dict[str, Any] = json.loads(json.dumps(made))
    return stored


def table(text: str, title: str) -> list[list[str]]:
    """The cells of the first table below a heading of a Markdown report, the head first."""
    lines = text.split(f"## {title}\n", 1)[1].split("\n## ", maxsplit=1)[0].splitlines()
    rows = [line for line in lines if line.startswith("| ") and "---" not in line]
    return [[cell.strip().replace("\\", "") for cell in row.strip("| ").split(" | ")] for row in rows]


def test_every_form_says_that_reasons_are_unchecked() -> None:
    for form in ("html", "md", "tex"):
        text = render(report(), form).replace("\\", "")
        assert re.search(r"Reason\s+\(unchecked\)", text), form
        assert re.search(r"MR-Score\s+\(unchecked\)", text), form
    assert "MR-Score (reasons unchecked)" in plot(report(), "subjects")


def test_a_report_says_its_judge_and_score_first() -> None:
    macro = checked()["reasons"]["trust"]["corrected"]["macro"]["mr_score"]
    for form in ("html", "md"):
        text = render(checked(), form).replace("\\", "").split("Scores")[0]
        assert "Judge: answers" in text, form
        assert f"MR-Score {100 * macro:.1f} [" in text, form
        assert f"(macro, corrected; raw {100 * checked()['mr_score']:.1f})" in text, form
        assert "100 reasons compared by grader, prompt reasons-2, 60 of 100 verdicts checked by people." in text, form
    assert "(macro, reasons unchecked)" in render(report(), "md").replace("\\", "")
    plain = {**checked(), "macro": {**checked()["macro"], "mr_score": None}, "reasons": {"why_null": "Not compared."}}
    assert headline(plain).endswith("(macro). MR-Score and reason have no value: Not compared.")
    assert headline({**plain, "reasons": {"why_null": ""}}).endswith("have no value: No solution is incorrect.")


def test_every_raw_score_of_a_checked_judge_has_the_corrected_one_beside_it() -> None:
    corrected = checked()["reasons"]["trust"]["corrected"]
    head, *rows = table(render(checked(), "md"), "Scores")
    assert (head[0], head[3]) == ("MR-Score (corrected)", "Reason (corrected)")
    shown = dict(zip(("macro", "pooled", "item_weighted", "art", "math"), rows, strict=True))
    for name, cells in shown.items():
        raw = checked()["subjects"][name] if name in ("art", "math") else checked()[name]
        told = corrected["subjects"][name] if name in ("art", "math") else corrected.get(name)
        for metric, cell in (("mr_score", cells[1]), ("acc_reason", cells[4])):
            assert f"raw {100 * raw[metric]:.1f}" in cell
            if told:
                assert cell.startswith(f"{100 * told[metric]:.1f}")
        assert not any("raw" in cells[place] for place in (0, 2, 3, 5, 6))


def test_corrected_means_weighted_by_items_are_shown_as_soon_as_a_report_has_them() -> None:
    made = json.loads(json.dumps(checked()))
    told = made["reasons"]["trust"]["corrected"]
    for spans in ({"acc_reason": None, "mr_score": [0.1, 0.2]}, None):
        told["item_weighted"] = {"acc_reason": 0.123, "mr_score": 0.234, "intervals": spans}
        row = table(render(made, "md"), "Scores")[3]
        assert row[1].startswith("23.4 [10.0, 20.0]; raw " if spans else "23.4; raw ")
        assert row[4].startswith("12.3; raw ")
        assert "23.4" in render(made, "tex")
    del told["item_weighted"]  # as in reports from before there were any
    assert table(render(made, "md"), "Scores")[3][1] == f"raw {100 * made['item_weighted']['mr_score']:.1f}"


def test_the_plot_of_a_checked_judge_shows_corrected_scores() -> None:
    corrected = checked()["reasons"]["trust"]["corrected"]
    drawn = plot(checked(), "subjects")
    assert "MR-Score (corrected) by subject" in drawn
    dots = [each for each in ElementTree.fromstring(drawn).iter() if each.tag.endswith("circle")]
    expected = [corrected["macro"], corrected["subjects"]["art"], corrected["subjects"]["math"]]
    for dot, told in zip(dots, expected, strict=True):
        assert float(dot.attrib["cx"]) == pytest.approx(200 + 260 * told["mr_score"], abs=0.1)
    low, high = corrected["macro"]["intervals"]["mr_score"]
    assert f'x1="{200 + 260 * low:.1f}"' in drawn
    assert f'x2="{200 + 260 * high:.1f}"' in drawn


def test_the_table_in_a_terminal_shows_raw_scores_only_below_corrected_ones(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    show_report(GradeReport(checked(), ()))
    told = capsys.readouterr().err
    assert told.count("(corrected)") == 2
    corrected = checked()["reasons"]["trust"]["corrected"]
    for name in ("art", "math"):
        first, below, raw = re.findall(rf"\n {name} .*\n.*\n.*", told)[0].strip("\n").splitlines()
        found = corrected["subjects"][name]
        assert re.findall(r"[\d.]+", first)[1] == f"{100 * found['mr_score']:.1f}"
        assert f"{100 * found['intervals']['mr_score'][0]:.1f}–" in below
        assert f"raw {100 * checked()['subjects'][name]['mr_score']:.1f}" in raw
    show_report(GradeReport(report(), ()))
    assert capsys.readouterr().err.count("(unchecked)") == 2


@pytest.mark.parametrize(("made", "word"), [(report, "unchecked"), (checked, "raw")])
def test_groups_of_items_have_their_reasons_with_the_word(made: Callable[[], dict[str, Any]], word: str) -> None:
    text = render(made(), "md")
    name, rows = next(iter(made()["breakdowns"].items()))
    head, *shown = table(text, f"By {name.replace('_', ' ')}")
    row, first = next(pair for pair in zip(rows, shown, strict=True) if pair[0]["acc_reason"] is not None)
    assert head == ["n", "Step", "Within one step", f"Reason ({word})", "Correct", "F1", "MCC"]
    counts = row["counts"]
    assert first[3] == f"{100 * row['acc_step_within_one']:.1f} ({counts['near_hits']}/{counts['n_incorrect']})"
    assert first[4] == f"{100 * row['acc_reason']:.1f} ({counts['reason_hits']}/{counts['n_incorrect']})"
    assert ("Reason is raw here" in text) is (word == "raw")


def asked(**facts: Any) -> dict[str, Any]:
    """The checked report with what is known of its judge."""
    return {**checked(), "how": {**checked()["how"], "judge": facts}}


def test_every_form_names_the_judge_and_the_versions_of_both_prompts() -> None:
    facts = {"name": "Large", "model": "vendor/large", "preset": "mr-ben", "preset_version": "7", "shots": 1}
    for form in ("html", "md", "tex"):
        text = render(asked(**facts, samples=3, temperature=0.5), form).replace("\\", "")
        assert "Large: vendor/large, prompt mr-ben version 7, 1 shot, 3 samples, temperature 0.5" in text, form
        assert "compared by grader, prompt reasons-2, 60 of 100 verdicts checked by people" in text, form
    assert "script" not in seen(render(asked(**facts, step_tag=HOSTILE), "html")).tags
    assert "Judge: Large; its model and prompt are not recorded." in render(asked(name="Large"), "md")
    assert "Judge: vendor/large, prompt" in render(asked(**{**facts, "name": ""}), "md")


def hostile() -> dict[str, Any]:
    """A report in which every text that is not ours is hostile."""
    made: dict[str, Any] = json.loads(json.dumps(report()))
    made["how"]["release"] |= {"project": HOSTILE, "version": "2\n\n# two"}
    made["reasons"] |= {"model": HOSTILE}
    made["breakdowns"][HOSTILE] = next(iter(made["breakdowns"].values()))
    made["why_no_human"] = HOSTILE
    return made


def test_hostile_texts_are_shown_and_not_run_wherever_they_stand() -> None:
    found = seen(render(hostile(), "html"))
    assert "script" not in found.tags
    # title, heading, headline, three places of reasons, a subject and its dot, a group of items, a note
    assert found.text.count(HOSTILE) >= 8
    assert ("aria-label", f"By {HOSTILE.replace('_', ' ')}") in found.attributes
    text = render(hostile(), "md")
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    kinds = {child.type for token in tokens for child in token.children or ()} | {token.type for token in tokens}
    assert not kinds & {"html_block", "html_inline", "code_inline", "link_open", "image"}
    assert [token.tag for token in tokens if token.type == "heading_open"].count("h1") == 1
    for mark in ("`x`", "<script", r"$\evil"):
        assert not re.search(rf"(?<!\\){re.escape(mark)}", text), mark
    table = render(hostile(), "tex")
    balanced(table)
    assert "<script" not in table
    caption = table.split(r"\caption{")[1]
    assert "\n\n" not in caption.split(r"\end{table}")[0], "an empty line would end the caption"
    assert r"\textless{}script\textgreater{}" in caption
    root = ElementTree.fromstring(plot(hostile(), "subjects"))
    assert "".join(root.itertext()).count("<script>") >= 1


def test_latex_prints_every_character_that_it_reads_as_a_command() -> None:
    assert escaped("a ~^ b") == r"a \textasciitilde{}\textasciicircum{} b"
    assert escaped("\\{}$&#_%") == r"\textbackslash{}\{\}\$\&\#\_\%"


def test_shares_of_answers_and_reasons_have_their_fractions() -> None:
    rows = {row[0]: row[1:] for row in table(render(report(), "md"), "Answers")[1:]}
    assert rows["parsed"] == ["7/7"]
    rows = {row[0]: row[1:] for row in table(render(report(), "md"), "Reasons")[1:]}
    assert (rows["the same (unchecked)"], rows["undecided"]) == (["2/2"], ["0/2"])
    pooled = table(render(checked(), "md"), "Scores")[2]
    assert "(100/120)" in pooled[3]
    assert "(70/120)" in pooled[4], "of the raw figure"


def test_who_compared_reasons_and_that_nobody_checked_it_stands_in_the_report() -> None:
    text = render(report(), "md").replace("\\", "")
    assert "unchecked by people." in text.split("## Scores")[0]
    assert "Unchecked: no people have checked a sample of the model's verdicts" in text
    old = {**report(), "reasons": {name: told for name, told in report()["reasons"].items() if name != "trust"}}
    assert "MR-Score (unchecked)" in render(old, "md").replace("\\", ""), "from before there were checks"


def test_a_report_says_which_way_the_model_is_biased() -> None:
    rows = {row[0]: row[1] for row in table(render(checked(), "md"), "Reasons")[1:]}
    told = checked()["reasons"]["trust"]["agreement"]
    assert told["bias"] != 0
    assert rows["bias of the model in points"] == f"{100 * (told['model_rate'] - told['human_rate']):+.1f}"


def test_people_and_a_perfect_judge_stand_beside_it_or_why_not() -> None:
    macro = report()["baselines"][0]["macro"]
    beside = {"human": {"about": "left out", "n": 5, "annotators": 2, "macro": macro}, "ceiling": macro}
    told = dict.fromkeys(("why_no_human", "why_no_ceiling"))
    names = [row[0] for row in table(render(report() | beside | told, "md"), "Beside it")]
    assert names[-2:] == ["people: left out (n 5, 2 annotators)", "perfect judge, given wrong gold labels"]
    without = {"human": None, "ceiling": None, "why_no_human": "No votes.", "why_no_ceiling": "No panel."}
    text = render(report() | without, "md").replace("\\", "")
    assert "No votes." in text
    assert "No panel." in text
    reasons = {**report()["reasons"], "why_null": "Nobody compared."}
    text = render(report() | {"reasons": reasons}, "md").replace("\\", "").split("## Scores")[1]
    assert "MR-Score and reason have no value: Nobody compared." in text.split("## Beside it")[0]


def test_decoys_left_undecided_are_counted_apart() -> None:
    checks = {"false_credit": {"n": 9, "failed": 3, "undecided": 1}, "false_denial": {"n": 9, "failed": 0}}
    reasons = {**report()["reasons"], "self_checks": checks | {"order_swap": {"n": 9, "changed": 2}}}
    rows = {row[0]: row[1] for row in table(render(report() | {"reasons": reasons}, "md"), "Reasons")[1:]}
    assert rows["decoys: false credit"] == "2/9, 1 undecided"
    assert (rows["decoys: false denial"], rows["changed in another order"]) == ("0/9", "2/9")


def test_calibration_has_intervals_and_its_meaning() -> None:
    sure = report()["calibration"]
    text = render(report(), "md").replace("\\", "")
    for name in ("rms", "ece"):
        low, high = sure["intervals"][name]
        assert f"{100 * sure[name]:.1f} [{100 * low:.1f}, {100 * high:.1f}] points (a calibrated judge" in text
    low, high = sure["intervals"]["brier"]
    assert f"Brier {sure['brier']:.3f} [{low:.3f}, {high:.3f}]" in text
    assert "mean distance of share right from mean confidence" in text


def test_markdown_cannot_be_broken_out_of() -> None:
    text = render(report(), "md")
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    kinds = {child.type for token in tokens for child in token.children or ()} | {token.type for token in tokens}
    assert not kinds & {"html_block", "html_inline", "code_inline", "link_open", "image"}
    rows = sum(token.type == "tr_open" for token in tokens)
    assert rows == sum(line.startswith("| ") and not line.startswith("| ---") for line in text.splitlines())


def test_the_latex_table_is_balanced_and_escaped() -> None:
    text = render(report(), "tex")
    assert r"\textless{}script\textgreater{}" in text
    assert r"\textbackslash{}evil\{y\}\_1 \%" in text
    assert r"\$" in text
    body = text.split(r"\hline")[2]
    assert {line.count(" & ") for line in body.strip().splitlines()} == {6}
    balanced(text)


def balanced(text: str) -> None:
    plain = text.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")
    assert text.count(r"\begin{") == text.count(r"\end{")


def test_the_latex_table_of_a_checked_judge_has_the_raw_score_below() -> None:
    text = render(checked(), "tex")
    balanced(text)
    body = text.split(r"\hline")[2].strip()
    assert {line.count(" & ") for line in body.splitlines()} == {6}
    corrected, raw = checked()["reasons"]["trust"]["corrected"]["macro"]["mr_score"], checked()["mr_score"]
    assert rf"\stacked{{{100 * corrected:.1f} \\ " in body.splitlines()[0]
    assert rf"{{\footnotesize raw {100 * raw:.1f}}}" in body.splitlines()[0]
    assert "the raw figures of the model's verdicts below" in text


def test_no_name_is_taken_for_an_option_of_a_line_end_in_latex() -> None:
    # LaTeX reads a bracket or a star after the end of a line as the end's option, across blanks
    assert not re.search(r"\\\\\s*[\[*]", render({**checked(), "subjects": odd_subjects()}, "tex"))


def odd_subjects() -> dict[str, Any]:
    return {"[art]": checked()["subjects"]["art"], "*": checked()["subjects"]["math"]}


@pytest.mark.parametrize("name", PLOTS)
def test_plots_are_svg_that_can_be_parsed(name: str) -> None:
    root = ElementTree.fromstring(plot(report(), name))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.find("{http://www.w3.org/2000/svg}title") is not None
    told = root.findtext("{http://www.w3.org/2000/svg}desc") or ""
    assert told.startswith("Judge report: small 1.0. Judge: answers ")
    assert "reasons unchecked" in told
    assert told.endswith(f"Release ffffffffffffffff, scorer 2, parser {report()['how']['parser_version']}.")
    assert not [each for each in root.iter() if each.tag.endswith("script")]


def test_a_dot_stands_where_its_value_is() -> None:
    root = ElementTree.fromstring(plot(report(), "reliability"))
    (dot,) = [each for each in root.iter() if each.tag.endswith("circle")]
    # seven answers make one bin: mean confidence .65, all verdicts right; the axes go from 56 to 460 and 292 to 24
    assert float(dot.attrib["cx"]) == pytest.approx(56 + 404 * 0.65, abs=0.1)
    assert float(dot.attrib["cy"]) == pytest.approx(24, abs=0.1)


def test_json_is_the_report_itself() -> None:
    assert json.loads(render(report(), "json")) == report()
    assert set(FORMATS) == {"html", "md", "tex", "json"}
    with pytest.raises(ValueError, match="JSON"):
        render(report() | {"mr_score": float("nan")}, "json")
    assert "数学" in render(report() | {"headline": "数学"}, "json")


def test_what_is_no_report_is_refused() -> None:
    cases: list[Any] = [[], {"macro": {}}, "text"]
    for wrong in cases:
        with pytest.raises(NoReport, match="no grade report"):
            check_report(wrong)
    silent = {**report(), "calibration": None, "risk_coverage": None, "why_no_confidence": "No answer states one."}
    with pytest.raises(NoReport, match="No answer states one"):
        plot(silent, "risk")
    assert "No answer states one." in render(silent, "md").replace("\\", "")
