"""Two speeds, printed: grading with paired resamples, and a run of requests against a slow endpoint on loopback.

Run with `python -m exports.benchmark_grading`. The endpoint is another process that answers after a fixed time.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import resource
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from annotation.llm import Endpoint, Request
from exports.joint_resamples import PAIRED_RESAMPLES, resample
from exports.scoring import Graded, score

ITEMS, SUBJECTS, SOLUTIONS = 6000, 7, 3
LATENCY, CONCURRENCY, ROUNDS = 0.05, 64, 60

_REPLY = json.dumps(
    {
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "Verdict: same"}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7},
    }
).encode()
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(_REPLY), _REPLY)


def made_up_judge(rng: np.random.Generator, skill: float) -> list[Graded]:
    """6,000 items of seven subjects, three to a problem; the judge is right in a share `skill` of each part."""
    items = []
    for number in range(ITEMS):
        subject, problem = f"subject {number % SUBJECTS}", number // (SUBJECTS * SOLUTIONS)
        correct, right = number % 9 < 4, bool(rng.random() < skill)
        step = number % 5 if rng.random() < skill else 9
        gold_step = None if correct else number % 5
        said = correct if right else not correct
        same = bool(rng.random() < skill)
        items.append(Graded(f"i{number}", subject, f"{subject} {problem}", correct, gold_step, said, step, same))
    return items


def time_grading() -> float:
    """Seconds to score two judges and to draw 10,000 paired resamples of all headline metrics."""
    rng = np.random.default_rng(0)
    judges = [made_up_judge(rng, skill) for skill in (0.70, 0.75)]
    began = time.perf_counter()
    for judge in judges:
        score(judge)
    resample(judges, rng)
    return time.perf_counter() - began


def time_requests(base_url: str, cache: Path | None) -> tuple[float, float]:
    """(requests a second, processor seconds for each), once connections are open; replies are kept in `cache`."""
    endpoint = Endpoint("grader", base_url, "none", cache=cache)
    asked = [Request(str(n), [{"role": "user", "content": f"question {n} " * 40}]) for n in range(CONCURRENCY * ROUNDS)]
    opening = [Request(f"first {n}", [{"role": "user", "content": f"first {n}"}]) for n in range(2 * CONCURRENCY)]
    used, began, answered = 0.0, 0.0, 0
    for done, _ in enumerate(endpoint.complete_many([*opening, *asked], concurrency=CONCURRENCY), start=1):
        if done == len(opening):
            used, began = _processor(), time.perf_counter()
        answered = done - len(opening)
    took = time.perf_counter() - began
    return answered / took, (_processor() - used) / answered


def _processor() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def serve(ready: Connection) -> None:
    """An endpoint that answers every request after LATENCY; its port is sent through `ready`."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
                await reader.readexactly(int(length.split(b":")[1]))
                await asyncio.sleep(LATENCY)
                writer.write(_ANSWER)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(talk, "127.0.0.1", 0, backlog=512)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def main() -> None:
    """Print both."""
    out = sys.stdout.write
    took = time_grading()
    out(f"grading {ITEMS} items of two judges with {PAIRED_RESAMPLES} paired resamples: {took:.2f} s\n")
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    address = f"http://127.0.0.1:{here.recv()}/v1"
    with TemporaryDirectory() as folder:
        for kept, cache in (("replies not kept", None), ("replies kept on disk", Path(folder))):
            rate, processor = time_requests(address, cache)
            ideal = CONCURRENCY / LATENCY
            out(
                f"{CONCURRENCY} at a time against {1000 * LATENCY:g} ms, {kept}: {rate:.0f} requests/s, "
                f"{100 * rate / ideal:.0f} % of {ideal:.0f}; {1000 * processor:.2f} ms of processor time each\n"
            )
    server.terminate()


if __name__ == "__main__":
    main()
