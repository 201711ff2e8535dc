"""What a form says of a verdict that contradicts itself is in the reader's language."""

import pytest
from django.utils.translation import override

from annotation.forms import in_words
from annotation.verdicts import Verdict, VerdictError


@pytest.mark.parametrize(
    ("verdict", "english", "chinese"),
    [
        (
            Verdict(correct=False),
            "An incorrect solution needs its first erroneous step.",
            "错误的解答须指明第一个错误步骤。",
        ),
        (
            Verdict(correct=False, first_error=3),
            "There is no step at position 3; the last is 2.",
            "位置 3 上没有步骤；最后一步的位置是 2。",
        ),
    ],
)
def test_a_contradiction_is_told_in_the_readers_language(verdict: Verdict, english: str, chinese: str) -> None:
    with pytest.raises(VerdictError) as raised:
        verdict.check(3)
    assert str(raised.value) == english
    with override("zh-hans"):
        assert in_words(raised.value) == chinese
