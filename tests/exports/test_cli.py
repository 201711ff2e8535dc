"""The console script as a user runs it: another process, its streams and its exit codes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from exports.cli import main
from exports.folder import write_folder
from tests.exports.small_release import solution
from tests.model_server import ModelServer, model_server, rule_grader

SCRIPT = Path(sys.executable).with_name("stepmark")
ITEMS = [solution(f"w{n}", n % 4) for n in range(8)] + [solution("r", None)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_folder(tmp_path / "release", ITEMS, [], [], {"project": "small", "version": "1.0"})
    return tmp_path / "release"


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """A judge that finds everything, with a wrong reason for the first item."""
    lines = []
    for number, item in enumerate(ITEMS):
        assert item.gold is not None
        gold = item.gold.verdict
        reason = f"the sum is wrong in {number}" if number else "who knows"
        said = {} if gold.correct else {"first_error": gold.first_error, "reason": reason}
        lines.append(json.dumps({"id": item.id, "correct": gold.correct, **said}))
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as model:
        model.answer = rule_grader
        yield model


def environment(server: ModelServer | None, tmp_path: Path) -> dict[str, str]:
    told = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "key"} if server else {}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "DJANGO_"))}
    return {**kept, "XDG_CACHE_HOME": str(tmp_path / "cache"), **told}


def stepmark(*arguments: object, tmp_path: Path, server: ModelServer | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(SCRIPT), *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment(server, tmp_path), cwd=tmp_path
    )


def test_grade_prints_a_table_on_stderr_and_json_on_stdout(folder: Path, answers: Path, tmp_path: Path) -> None:
    done = stepmark("grade", folder, answers, "--json", "--items", tmp_path / "rows.jsonl", tmp_path=tmp_path)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    assert (report["acc_step"], report["mcc"], report["mr_score"]) == (1, 1, None)
    assert "macro mean" in done.stderr
    assert report["how"]["release"]["hash"] in done.stderr
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == [item.id for item in ITEMS]


def test_without_json_stdout_stays_empty(folder: Path, answers: Path, tmp_path: Path) -> None:
    assert stepmark("grade", folder, answers, tmp_path=tmp_path).stdout == ""


def test_a_model_compares_reasons(folder: Path, answers: Path, server: ModelServer, tmp_path: Path) -> None:
    told = ("--reasons", "llm", "--model", "grader", "--json", "--weights", ".2,.3,.5", "--seed", "4")
    done = stepmark("grade", folder, answers, *told, tmp_path=tmp_path, server=server)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    # MCC 1, every step, seven of eight reasons
    assert report["mr_score"] == pytest.approx(0.2 + 0.3 + 0.5 * 7 / 8)
    assert (report["reasons"]["model"], report["how"]["bootstrap"]["seed"]) == ("grader", 4)
    assert "8 compared, 7 the same" in done.stderr


def test_people_s_verdicts_come_from_a_file(folder: Path, answers: Path, tmp_path: Path) -> None:
    verdicts = tmp_path / "verdicts.jsonl"
    verdicts.write_text("".join(json.dumps({"id": item.id, "same": True}) + "\n" for item in ITEMS), encoding="utf-8")
    done = stepmark("grade", folder, answers, "--reasons", verdicts, "--json", tmp_path=tmp_path)
    assert json.loads(done.stdout)["mr_score"] == 1


def test_ctrl_c_keeps_what_was_answered_and_the_same_command_goes_on(
    folder: Path, answers: Path, server: ModelServer, tmp_path: Path
) -> None:
    server.delay = 1.5
    told = ("grade", folder, answers, "--reasons", "llm", "--model", "grader", "--concurrency", "1")
    command = [str(SCRIPT), *map(str, told)]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment(server, tmp_path))
    deadline = time.monotonic() + 60
    while len(server.requests) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    asked = len(server.requests)
    assert (running.returncode, "Traceback" in said) == (130, False), said
    assert "goes on from there" in said
    assert 3 <= asked < 8
    server.delay = 0
    assert stepmark(*told, tmp_path=tmp_path, server=server).returncode == 0
    assert len(server.requests) == 8


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("grade", "nowhere", "answers.jsonl"), 1, "manifest.json is missing"),
        (("grade", "release", "nowhere.jsonl"), 2, "nowhere.jsonl: No such file"),
        (
            ("grade", "release", "bad.jsonl"),
            1,
            "bad.jsonl: 1 problem(s):\nLine 1: 'sm-0' is not in this release.",
        ),
        (("grade", "release", "answers.jsonl", "--reasons", "llm"), 2, "--model"),
        (("grade", "release", "answers.jsonl", "--reasons", "llm", "--model", "m"), 2, "OPENAI_API_KEY"),
        (("grade", "release", "answers.jsonl", "--reasons", "nowhere.jsonl"), 2, "nowhere.jsonl: No such file"),
        (("grade", "release", "answers.jsonl", "--reasons", "bad.jsonl"), 1, "bad.jsonl: 1 problem(s):\nLine 1"),
        (
            ("grade", "release", "answers.jsonl", "--reasons", "llm", "--model", "m", "--human-checks", "odd.jsonl"),
            1,
            "odd.jsonl: 1 problem(s):\nLine 1: this is not JSON",
        ),
        (("grade", "release", "answers.jsonl", "--weights", "1,1,1"), 2, "add up to 3"),
        (("grade", "release", "answers.jsonl", "--weights", "much"), 2, "--weights"),
        (("grade", "release", "answers.jsonl", "--concurrency", "0"), 2, "--concurrency"),
        (("grade", "release", "answers.jsonl", "--seed", "-1"), 2, "--seed"),
        (("grade", "release", "answers.jsonl", "--items", "nowhere/rows.jsonl"), 2, "nowhere/rows.jsonl: No such file"),
        (("report", "bad.jsonl"), 1, "no grade report"),
        (("report", "nowhere.json"), 2, "nowhere.json: No such file"),
        (("judge", "release", "--model", "m", "--out", "o", "--preset", "x"), 2, "mr-ben, processbench"),
        (("judge", "release", "--model", "m", "--out", "o", "--samples", "3", "--yes"), 2, "set a temperature"),
        (("judge", "release", "--model", "m", "--out", "o", "--yes"), 2, "OPENAI_API_KEY"),
        (("judge", "release", "--model", "m", "--out", "no/o", "--yes"), 2, "--out: there is no folder no."),
        (("judge", "release", "--model", "m", "--out", "o", "--price-in", "1"), 2, "--price-out"),
        (("grade", "release", "answers.jsonl", "--parser", "other"), 2, "mr-ben-official"),
        (("grade", "release", "answers.jsonl", "--threshold", "tune:test"), 2, "--threshold"),
        (("grade", "release", "answers.jsonl", "--human-checks", "bad.jsonl"), 2, "need --reasons llm"),
        (("compare", "release", "answers.jsonl"), 2, "Two files of answers"),
        (("compare", "release", "answers.jsonl", "answers.jsonl"), 1, "the same name"),
        (("compare", "release", "answers.jsonl", "release/../answers.jsonl", "--reasons", "bad.jsonl"), 2, "2 files"),
        (("compare", "release", "answers.jsonl", "bad.jsonl"), 1, "'sm-0' is not in this release."),
        (("compare", "release", "answers.jsonl", "release/../answers.jsonl", "--claim", "a,b"), 1, "no judge called"),
        (("compare", "release", "answers.jsonl", "bad.jsonl", "--label-noise", "2"), 2, "--label-noise"),
        (
            ("grade", "release", "answers.jsonl", "--threshold", "tune:dev"),
            1,
            "answers.jsonl: No item of the dev split",
        ),
        (("verify", "nowhere"), 1, "this is no release folder"),
        (("export", "release", "--format", "xml", "out"), 2, "there are stepmark, mr-ben, processbench"),
        ((), 2, "usage"),
    ],
)
def test_bad_input_gives_a_sentence_and_a_code(
    folder: Path, answers: Path, tmp_path: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id": "sm-0", "correct": true}\n')
    (tmp_path / "odd.jsonl").write_text("same: yes\n")
    done = stepmark(*arguments, tmp_path=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert words in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("word", ["--temperature nan", "--temperature -1", "--timeout 0", "--price-in nan",
                                  "--price-out -1", "--retries -1", "--model "])  # fmt: skip
def test_a_run_with_numbers_that_make_no_sense_is_not_begun(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, _, value = word.partition(" ")
    given = ["judge", "folder", "--out", "answers.jsonl", "--model", "m", "--yes", f"{name}={value}"]
    with pytest.raises(SystemExit):
        main(given)
    assert "is needed" in capsys.readouterr().err


@pytest.mark.parametrize("threshold", ["nan", "inf"])
def test_a_threshold_is_a_number(threshold: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["grade", "folder", "answers.jsonl", "--threshold", threshold])
    assert "a finite number is needed" in capsys.readouterr().err


def test_verify_says_intact_or_what_was_changed(folder: Path, tmp_path: Path) -> None:
    done = stepmark("verify", folder, tmp_path=tmp_path)
    assert (done.returncode, "is intact" in done.stderr) == (0, True)
    path = folder / "items.jsonl"
    path.write_bytes(path.read_bytes().replace(b"the sum", b"the product", 1))
    done = stepmark("verify", folder, tmp_path=tmp_path)
    assert done.returncode == 1
    assert f"items.jsonl, line 1: item {ITEMS[0].id} was changed." in done.stderr


def test_export_writes_a_format_and_counts_what_it_cannot_say(folder: Path, tmp_path: Path) -> None:
    done = stepmark("export", folder, "--format", "processbench", tmp_path / "out.json", tmp_path=tmp_path)
    assert done.returncode == 0, done.stderr
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [record["label"] for record in written] == [0, 1, 2, 3, 0, 1, 2, 3, -1]
    assert "8 of 9 items: The format has no place for reason." in done.stderr


def test_people_check_a_sample_and_the_grade_is_corrected(server: ModelServer, tmp_path: Path) -> None:
    items = [solution(f"w{n}", 1, problem=f"p{n}") for n in range(60)] + [solution("r", None)]
    write_folder(tmp_path / "big", items, [], [], {"project": "small", "version": "2"})
    lines = [
        json.dumps({"id": item.id, "correct": False, "first_error": 1, "reason": "the sum is wrong" if n % 2 else "no"})
        for n, item in enumerate(items)
    ]
    (tmp_path / "said.jsonl").write_text("\n".join(lines), encoding="utf-8")
    told = ("grade", "big", "said.jsonl", "--reasons", "llm", "--model", "grader", "--json")
    done = stepmark(*told, "--draw-checks", "sheet.jsonl", "--checks", "50", tmp_path=tmp_path, server=server)
    assert done.returncode == 0, done.stderr
    assert "Reasons are unchecked" in done.stderr
    assert "95 % intervals; reasons unchecked" in done.stderr
    rows = [json.loads(line) for line in (tmp_path / "sheet.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 50
    checks = [json.dumps({**row, "same": row["case"]["reason"] != "no"}) for row in rows]
    (tmp_path / "checks.jsonl").write_text("\n".join(checks), encoding="utf-8")
    done = stepmark(*told, "--human-checks", "checks.jsonl", tmp_path=tmp_path, server=server)
    assert done.returncode == 0, done.stderr
    trust = json.loads(done.stdout)["reasons"]["trust"]
    assert (trust["agreement"]["kappa"], trust["corrected"]["pooled"]["acc_reason"]) == (1, 0.5)
    assert "People checked 50 of 60 verdicts" in done.stderr
    # a second judge that nobody checked: both are compared raw, and said to be unchecked
    (tmp_path / "mute.jsonl").write_text("\n".join(lines[:30]), encoding="utf-8")
    pair = ("compare", "big", "said.jsonl", "mute.jsonl", "--reasons", "llm", "--model", "grader", "--json")
    done = stepmark(*pair, "--human-checks", "checks.jsonl", tmp_path=tmp_path, server=server)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["how"]["reasons_standing"] == "unchecked"
    assert "people have not checked its verdicts on mute" in done.stderr
    alone = ("compare", "big", "said.jsonl", "again.jsonl", "--reasons", "llm", "llm", *pair[6:])
    (tmp_path / "again.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = stepmark(*alone, "--human-checks", "checks.jsonl", tmp_path=tmp_path, server=server)
    assert json.loads(done.stdout)["leaderboard"]["word"] == "corrected"
    assert "macro mr_score (corrected)" in done.stderr
    twice = tmp_path / "twice.jsonl"
    twice.write_bytes((tmp_path / "checks.jsonl").read_bytes())
    done = stepmark(*pair, "--human-checks", "checks.jsonl", "twice.jsonl", tmp_path=tmp_path, server=server)
    assert (done.returncode, "about the same answers" in done.stderr) == (2, True)
    assert trust["ppi"] is None
    # a plain random sample: 20 of each verdict at least, as 50 of 30 and 30 are drawn
    done = stepmark(
        *told, "--draw-checks", "plain.jsonl", "--checks", "50", "--checks-design", "random",
        tmp_path=tmp_path, server=server,
    )  # fmt: skip
    rows = [json.loads(line) for line in (tmp_path / "plain.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["design"] for row in rows] == ["random"] * 50
    plain = [json.dumps({**row, "same": row["case"]["reason"] != "no"}) for row in rows]
    (tmp_path / "plain.jsonl").write_text("\n".join(plain), encoding="utf-8")
    done = stepmark(*told, "--human-checks", "plain.jsonl", tmp_path=tmp_path, server=server)
    assert json.loads(done.stdout)["reasons"]["trust"]["ppi"]["estimate"] == pytest.approx(0.5, abs=0.1)
    # answers of another judge or another model: the sample is not of them, and nothing is asked
    asked = len(server.requests)
    (tmp_path / "said.jsonl").write_text("\n".join(lines[:-1]), encoding="utf-8")
    for command in (told, (*pair[:2], "mute.jsonl", "mute.jsonl", *pair[4:]), (*told, "--model", "other")):
        done = stepmark(*command, "--human-checks", "checks.jsonl", tmp_path=tmp_path, server=server)
        assert (done.returncode, "checks.jsonl: The people's verdicts are for" in done.stderr) == (1, True)
    assert len(server.requests) == asked


def test_a_judge_is_run_and_graded_and_a_second_run_is_free(folder: Path, server: ModelServer, tmp_path: Path) -> None:
    server.answer = lambda _: "Solution Correctness: incorrect\nFirst Error Step: Step 1\nError Reason: the sum"
    told = ("judge", folder, "--model", "grader", "--base-url", server.base_url, "--out", "said.jsonl", "--grade")
    priced = ("--price-in", "1", "--price-out", "2", "--shots", "1")
    refused = stepmark(*told, tmp_path=tmp_path, server=server)
    assert (refused.returncode, "add --yes" in refused.stderr) == (2, True)
    done = stepmark(*told, *priced, "--yes", tmp_path=tmp_path, server=server)
    assert done.returncode == 0, done.stderr
    assert "9 requests, 0 of them answered before" in done.stderr
    assert "Demonstrations show" in done.stderr
    assert "macro mean" in done.stderr
    lines = [json.loads(line) for line in (tmp_path / "said.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in lines] == [item.id for item in ITEMS]
    assert lines[0]["raw"].startswith("Solution Correctness")
    facts = json.loads((tmp_path / "said.jsonl.run.json").read_text(encoding="utf-8"))
    assert (facts["shots"], facts["cost"]) == (1, pytest.approx(9 * (11 + 14) / 1e6))
    asked = len(server.requests)
    done = stepmark(*told, *priced, tmp_path=tmp_path, server=server)
    assert (done.returncode, len(server.requests)) == (0, asked)


def test_a_report_says_how_the_answers_were_made(folder: Path, server: ModelServer, tmp_path: Path) -> None:
    server.answer = lambda _: "Solution Correctness: correct"
    told = ("judge", folder, "--model", "grader", "--base-url", server.base_url, "--out", "said.jsonl", "--yes")
    done = stepmark(*told, "--grade", tmp_path=tmp_path, server=server)
    assert "Judge: grader, prompt mr-ben version " in done.stderr
    graded = stepmark("grade", folder, "said.jsonl", "--json", tmp_path=tmp_path)
    assert json.loads(graded.stdout)["how"]["judge"].items() >= {"model": "grader", "preset": "mr-ben"}.items()
    with (tmp_path / "said.jsonl").open("a", encoding="utf-8") as answers:
        answers.write("\n")
    graded = stepmark("grade", folder, "said.jsonl", "--json", tmp_path=tmp_path)
    assert (graded.returncode, json.loads(graded.stdout)["how"]["judge"]) == (0, None)
    assert "said.jsonl.run.json is about other answers" in graded.stderr


def test_a_killed_run_goes_on_without_paying_twice(folder: Path, server: ModelServer, tmp_path: Path) -> None:
    server.answer, server.delay = lambda _request: "Solution Correctness: correct", 0.5
    out = tmp_path / "said.jsonl"
    told = ("judge", folder, "--out", out, "--model", "grader", "--yes", "--concurrency", "1")
    running = subprocess.Popen([str(SCRIPT), *map(str, told)], env=environment(server, tmp_path))
    deadline = time.monotonic() + 60
    while len(server.requests) < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    running.kill()
    running.wait(timeout=60)
    asked = len(server.requests)
    assert 4 <= asked < len(ITEMS)
    assert not out.exists()
    server.delay = 0
    done = stepmark(*told, tmp_path=tmp_path, server=server)
    assert done.returncode == 0, done.stderr
    assert len(out.read_text(encoding="utf-8").splitlines()) == len(ITEMS)
    assert len(server.requests) <= len(ITEMS) + 1, "only what was on its way when it was killed is asked again"


def test_a_report_is_shown_in_other_forms(folder: Path, answers: Path, tmp_path: Path) -> None:
    done = stepmark("grade", folder, answers, "--json", tmp_path=tmp_path)
    (tmp_path / "report.json").write_text(done.stdout, encoding="utf-8")
    page = stepmark("report", "report.json", tmp_path=tmp_path)
    assert (page.returncode, page.stdout.startswith("<!doctype html>")) == (0, True)
    done = stepmark("report", "report.json", "--format", "svg", "--out", "plot.svg", tmp_path=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "plot.svg").read_text(encoding="utf-8").startswith("<svg")


def test_a_threshold_is_tuned_on_problems_that_are_then_left_out(tmp_path: Path) -> None:
    items = [solution(f"i{n}", n % 3 if n % 2 else None) for n in range(60)]
    write_folder(tmp_path / "many", items, [], [], {"project": "small", "version": "2"})
    lines = []
    for item in items:
        assert item.gold is not None
        scores = [0.05 if place == item.gold.verdict.first_error else 0.2 for place in range(4)]
        lines.append(json.dumps({"id": item.id, "step_scores": scores}))
    (tmp_path / "scores.jsonl").write_text("\n".join(lines), encoding="utf-8")
    reports = []
    for told in ((), ("--threshold", "tune:dev")):
        done = stepmark("grade", "many", "scores.jsonl", "--json", *told, tmp_path=tmp_path)
        assert done.returncode == 0, done.stderr
        reports.append(json.loads(done.stdout))
    fixed, tuned = reports
    assert (fixed["counts"]["n"], fixed["correct_accuracy"], fixed["step_scores"]["tuned"]) == (60, 0, None)
    left_out = tuned["step_scores"]["tuned"]["n_items"]
    assert (tuned["counts"]["n"], tuned["f1"]) == (60 - left_out, 1)
    assert 0.05 <= tuned["step_scores"]["threshold"] < 0.2
    assert "PRMScore 100.0" in done.stderr


def test_compare_shows_flips_and_differences(folder: Path, answers: Path, tmp_path: Path) -> None:
    worse = tmp_path / "worse.jsonl"
    worse.write_text("".join(json.dumps({"id": item.id, "correct": True}) + "\n" for item in ITEMS), encoding="utf-8")
    done = stepmark("compare", folder, worse, answers, "--json", "--seed", "5", tmp_path=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    (pair,) = report["pairs"]
    assert (pair["first"], pair["second"]) == ("worse", "answers")
    assert pair["flips"]["step"]["total"]["repaired"] == [item.id for item in ITEMS[:8]]
    assert pair["claim"]["difference"] == 1
    assert [row["judge"] for row in report["leaderboard"]["judges"]] == ["answers", "worse"]
    assert report["release"]["version"] == "1.0"
    assert "worse → answers" in done.stderr
    assert "cannot be told from these judges" in done.stderr, "they differ in every item"
    assert f"{report['release']['hash']}; scorer 2, compare-4, 10000 resamples, seed 5." in done.stderr


def test_public_and_private_halves_are_written_and_compared(folder: Path, answers: Path, tmp_path: Path) -> None:
    for half in ("public", "private"):
        done = stepmark("export", folder, "--format", "stepmark", "--half", half, f"{half}.jsonl", tmp_path=tmp_path)
        assert done.returncode == 0, done.stderr
    public, private = (
        {json.loads(line)["id"] for line in (tmp_path / f"{half}.jsonl").read_text().splitlines()}
        for half in ("public", "private")
    )
    assert (public & private, public | private) == (set(), {item.id for item in ITEMS})
    leaked = tmp_path / "leaked.jsonl"
    lines = [{"id": item.id, "correct": item.gold is not None and item.gold.verdict.correct} for item in ITEMS]
    told = [line if line["id"] in public else {**line, "correct": not line["correct"]} for line in lines]
    leaked.write_text("\n".join(map(json.dumps, told)), encoding="utf-8")
    asked = ("compare", folder, answers, leaked, "--reference", "answers", "--json")
    done = stepmark(*asked, tmp_path=tmp_path)
    reference, row = json.loads(done.stdout)["split"]["judges"]
    assert (reference["reference"], reference["gap"]) == (True, 0)
    assert (row["public"], row["private"], row["beyond_references"]) == (1, 0, 1)
    assert "A flag is a reason to look" in done.stderr
    again = stepmark(*asked, "--public", "public.jsonl", tmp_path=tmp_path)
    assert json.loads(again.stdout)["split"] == json.loads(done.stdout)["split"]
    refused = stepmark("compare", folder, answers, leaked, "--reference", "nobody", tmp_path=tmp_path)
    assert (refused.returncode, "no judge called 'nobody'" in refused.stderr) == (1, True)


def test_compare_takes_people_s_verdicts_for_each_judge(folder: Path, answers: Path, tmp_path: Path) -> None:
    again, names = tmp_path / "again.jsonl", ("one.jsonl", "two.jsonl")
    again.write_bytes(answers.read_bytes())
    for name, same in zip(names, (False, True), strict=True):
        lines = [json.dumps({"id": item.id, "same": same}) for item in ITEMS]
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    done = stepmark("compare", folder, answers, again, "--json", "--reasons", *names, tmp_path=tmp_path)
    assert done.returncode == 0, done.stderr
    (pair,) = json.loads(done.stdout)["pairs"]
    assert pair["claim"]["metric"] == "macro mr_score"
    assert pair["flips"]["reason"]["total"]["counts"]["repaired"] == 8


def test_the_script_starts_without_the_heavy_libraries() -> None:
    heavy = "django numpy scipy sklearn openai rich"
    code = f"import sys, exports.cli; print([name for name in '{heavy}'.split() if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_grading_without_a_model_never_loads_django_or_the_client(folder: Path, answers: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from exports.cli import main; main(sys.argv[1:]); "
        "print([name for name in ('django', 'openai', 'scipy', 'sklearn') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, "grade", str(folder), str(answers)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment(None, tmp_path))
    assert done.stdout.strip() == "[]"
