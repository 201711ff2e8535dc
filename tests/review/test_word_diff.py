"""Two reasons word by word."""

from review.word_diff import compared


def test_words_the_first_text_lacks_are_told_apart() -> None:
    assert compared("The sum is two.", "The sum is not two.") == [
        ("The sum is ", True),
        ("not ", False),
        ("two.", True),
    ]


def test_the_pieces_give_the_second_text_back() -> None:
    for first, second in (("", "a  b"), ("α + β", "α − β\n"), ("符号错了", "符号没有错"), ("x", "")):
        assert "".join(piece for piece, _same in compared(first, second)) == second


def test_chinese_is_compared_by_character() -> None:
    assert compared("符号错了", "符号对了") == [("符号", True), ("对", False), ("了", True)]
