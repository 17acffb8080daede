"""Go's regular expressions: what matches, and what Go would not compile."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidecarctl.sidecarset.regex import RegexError, compile_re2
from sidecarctl.sidecarset.regex.character_classes import LAST, complement


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("", "anything"), (".*", ""), ("work", "my-worker"), ("^(checkout|worker)$", "worker"),
        ("(?i)WORKER", "worker"), ("^[[:alpha:]]+[[:digit:]]$", "work7"), (r"^\pL+\PL$", "work7"),
        (r"^\p{Lu}\p{^Lu}$", "Ab"), (r"^\p{Latin}-\p{Common}$", "a-1"), (r"^\p{Any}$", "é"),
        (r"k\z", "work"),
        (r"\Awork\z", "work"), ("(?U)a+", "aa"), ("a+?b*?", "a"), ("(?s)a.b", "a\nb"),
        ("(?m)^b$", "a\nb\nc"),
        ("a$", "a"), ("(?P<x>a)(?<y>b)", "ab"), ("(?P<a>x)(?P<a>y)", "xy"),
        ("(?i:A)b", "ab"), ("(a|(?i)b)c", "Bc"), ("x{2,3}", "xx"),
        ("x{2,}", "xxx"), ("^x{2}$", "xx"), ("x{,2}", "x{,2}"), ("x{02}", "x{02}"), ("x{", "x{"),
        ("x}", "x}"),
        ("]", "]"), ("[]a]", "]"), ("[^]a]", "b"), ("[a-]", "-"), ("[-a]", "-"), ("[a-c-e]", "-"),
        ("[[a]", "["),
        ("[[:a]", ":"), (r"[\]\-\\]", "\\"), (r"[\d\-]", "5"), (r"[^\D]", "5"), ("[[:^alpha:]]", "5"),
        (r"\x41\x{42}\103\0", "ABC\0"), (r"\a\f\t\n\r\v", "\a\f\t\n\r\v"), (r"\Qa.b\E+", "a.bb"),
        (r"\Qa(", "a("),
        (r"(?i)\QaB\E", "Ab"), (r"\bapp\b", "my-app-1"), (r"a\Bp", "app"), (r"\B", ""), ("^*", "a"),
        ("(^)*a", "a"),
        (r"\b+a", "a"), ("()+", ""), ("(a*)*", "a"), ("a|", ""), ("(|b)c", "c"), ("(?i)[^a]", "b"),
        ("(?i)[k]", "K"), ("(?i)k", "\N{KELVIN SIGN}"), (r"(?i)\w", "\N{LATIN SMALL LETTER LONG S}"),
        (r"\s", "\f"), ("(?:a)(?-s).", "ab"), ("(?i-s)A", "a"), ("(?)a", "a"), ("a(?i)*b", "aab"),
        (r"\.", "."), (r"\_", "_"), ("(a{30}){30}", "a" * 900), ("(a{0,0}){1000}", ""), ("é", "é"),
        ("~~&&--[~&|-]", "~~&&--~"),
    ],
)  # a table, a case a line  # fmt: skip
def test_matches(pattern: str, text: str) -> None:
    assert compile_re2(pattern).search(text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^work$", "worker"), ("a$", "a\n"), (r"a\z", "a\n"), (".", "\n"), ("WORKER", "worker"),
        (r"\s", "\v"),
        (r"\d", "\N{ARABIC-INDIC DIGIT ONE}"), (r"\w", "é"), ("(?i)[^a]", "A"), (r"(?i)\W", "s"),
        (r"(?i)[\W]", "k"), ("[^a]", "a"), ("((?i)a)b", "aB"), ("(a|(?i)b)c", "BC"), (r"\p{Greek}", "a"),
        ("[^\\x00-\\x{10FFFF}]", "a"), (r"\bpp\b", "app"), ("^x{2}$", "xxx"), ("a+", ""), (r"\B", "a"),
        ("^^b", "a\nb"), ("(?i-i:A)", "a"),
    ],
)  # a table, a case a line  # fmt: skip
def test_does_not_match(pattern: str, text: str) -> None:
    assert not compile_re2(pattern).search(text)


@pytest.mark.parametrize("pattern", ["^(a+)+$", "(a*)*b", r"^(\w+-?)+\.$", "(a|aa)+$", "(a?){40}a{40}$"])
def test_no_pattern_takes_long(pattern: str) -> None:
    assert not compile_re2(pattern).search("a" * 60 + "!")


def test_a_pattern_that_would_fill_the_memory_is_refused() -> None:
    with pytest.raises(RegexError, match="too large"):
        compile_re2("(" + "a" * 200 + "){1000}")


@pytest.mark.parametrize(
    "pattern",
    [
        "(", ")", "worker(", "a)", "[", "[a", "[]", "[^]", "[b-a]", "[a-", r"[a-\d]", "[[:foo:]]",
        r"[\b]", "*", "+a", "(*)",
        "a|*", "(?i)*", "a**", "a*+", "a+*", "a*??", "a{2}{3}", "a{2}*", "a{1001}", "a{2,1}", "a{99999}",
        "(a{100}){100}", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?>a)", "(?#a)", "(?", "(?x)a", "(?-)",
        "(?i-)",
        "(?P<>x)", "(?P<a-b>x)", "(?P=a)", r"\1", r"\8", r"\Z", r"\C", r"\E", r"\x",
        r"\x4",
        r"\x{}", r"\x{110000}", r"\x{zz}", "\\", r"\é", r"\u0041", r"\pX", r"\p{Nothing}", r"\p",
        r"\p{L", r"\k<a>",
        "(" * 61 + ")" * 61, "(" * 100_000,
    ],
)  # a table, a case a line  # fmt: skip
def test_is_refused(pattern: str) -> None:
    with pytest.raises(RegexError):
        compile_re2(pattern)


@given(st.text(st.sampled_from("ab()[]{}|*+?^$.\\-:,imsUPpLQEdDwWbBzAx012<>=!&~é\n"), max_size=20))
@example("(?a)")
def test_any_text_is_compiled_or_refused(pattern: str) -> None:
    try:
        compiled = compile_re2(pattern)
    except RegexError:
        return
    compiled.search("ab-1")


plain = st.recursive(
    st.sampled_from(["a", "b", "-", ".", "[ab]", "[^a]", r"\d", r"\w", r"\.", "^", "$"]),
    lambda inner: st.one_of(
        st.builds("({})".format, inner),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds("{}{}".format, inner, inner),
        st.builds("(?:{}){}".format, inner, st.sampled_from(["*", "+", "?", "{1,2}", "*?"])),
    ),
    max_leaves=6,
)


@given(plain, st.text(st.sampled_from("ab-.1"), max_size=6))
def test_what_both_languages_share_means_the_same(pattern: str, text: str) -> None:
    assert bool(compile_re2(pattern).search(text)) == bool(re.search(pattern, text))


def test_the_complement_of_everything_is_nothing() -> None:
    assert complement([(0, LAST)]) == []
    assert complement([]) == [(0, LAST)]
    assert complement([(5, 9), (0, 4), (7, 8)]) == [(10, LAST)]
