"""Go's regular expressions: what matches, and what Go would not compile."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidecarctl.engine.sidecarset.regex import RegexError, compile_re2
from sidecarctl.engine.sidecarset.regex.characters import LAST, complement


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


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(", "missing closing ): `(`"), ("a)", "unexpected ): `a)`"), ("b[a", "missing closing ]: `[a`"),
        ("[b-a]c", "invalid character class range: `b-a`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        (r"\p{Nothing}", r"invalid character class range: `\p{Nothing}`"),
        (r"[a-\d]", r"invalid escape sequence: `\d`"), (r"\x{zz}", r"invalid escape sequence: `\x{z`"),
        ("a\\", "trailing backslash at end of expression: ``"),
        ("a|*?b", "missing argument to repetition operator: `*?`"),
        ("a*??b", "invalid nested repetition operator: `*??`"),
        ("(a{100}){100}", "invalid repeat count: `{100}`"), ("a{2,1}?", "invalid repeat count: `{2,1}`"),
        ("(?i=a)", "invalid or unsupported Perl syntax: `(?i=`"),
        ("(?<=a)", "invalid named capture: `(?<=a)`"), ("(?P<a-b>x)", "invalid named capture: `(?P<a-b>`"),
        ("(" * 1000 + "a*" + ")" * 1000, "expression nests too deeply: `"),
        ("(" + "a" * 3355 + "){1000}", "expression too large: `"),
    ],
)  # a table, a case a line  # fmt: skip
def test_the_words_are_those_of_go(pattern: str, words: str) -> None:
    with pytest.raises(RegexError, match=re.escape(f"error parsing regexp: {words}")):
        compile_re2(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "(" * 996 + "a*" + ")" * 996,
        "(" + "a" * 3353 + "){1000}",
        "(?:a?){1000}" * 1000,
        "(?:b(?:c" * 900 + "))" * 900,
    ],
)
def test_what_go_compiles_is_not_refused(pattern: str) -> None:
    assert compile_re2(f"{pattern}|b-").search("b-")


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
        "(" * 1001 + "a" + ")" * 1001, "(" * 100_000,
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


def test_names_that_begin_alike_share_their_steps() -> None:
    pattern = compile_re2("a?" * 200 + "a" * 200)
    assert not any(pattern.search("a" * length) for length in range(1, 64))
    assert len(pattern._steps) <= 2 * 64
    assert pattern.search("a" * 200)


@pytest.mark.parametrize(
    "pattern", ["a?" * 2000 + "a" * 2000, "[a-m]?" * 2000 + "[ab]" * 64, "(?:a?b?){500}" * 20 + "-{64}"]
)
def test_a_large_pattern_takes_few_steps_for_many_names(pattern: str) -> None:
    compiled = compile_re2(pattern)
    assert not any(compiled.search("ab"[number % 2] * (10 + number)) for number in range(50))
    assert len(compiled._steps) <= 2 * 60  # one for each length that a name can have


def test_what_is_kept_of_the_steps_is_bounded() -> None:
    compiled = compile_re2("(?:a?b?c?){300}x{9}")
    for number in range(40):
        compiled.search("".join("abc"[number * place % 7 % 3] for place in range(60)))
    assert compiled._kept <= 600_000
