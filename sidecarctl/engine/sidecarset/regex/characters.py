"""Characters and character classes of Go's regular expressions, as ranges of code points.

Names that are matched (containers, annotation keys) are ASCII, so Unicode properties and case folding know ASCII
characters alone; the negation of a class holds for all others.
"""

import re
from functools import cache
from string import hexdigits

from sidecarctl.engine.facts.start_up import lazy_pattern


class RegexError(ValueError):
    """A pattern that Go's regexp package would not compile, in its words."""


def refused(why: str, what: str) -> RegexError:
    """The error at a piece of a pattern."""
    return RegexError(f"error parsing regexp: {why}: `{what}`")


Ranges = list[tuple[int, int]]

LAST = 0x10FFFF


def _ranges(text: str) -> Ranges:
    """Pairs of characters, first and last of each range."""
    return [(ord(low), ord(high)) for low, high in zip(text[::2], text[1::2], strict=True)]


PERL: dict[str, Ranges] = {"d": _ranges("09"), "s": _ranges("\t\n\f\r  "), "w": _ranges("09AZ__az")}

POSIX: dict[str, Ranges] = {
    "alnum": _ranges("09AZaz"),
    "alpha": _ranges("AZaz"),
    "ascii": _ranges("\x00\x7f"),
    "blank": _ranges("\t\t  "),
    "cntrl": _ranges("\x00\x1f\x7f\x7f"),
    "digit": _ranges("09"),
    "graph": _ranges("!~"),
    "lower": _ranges("az"),
    "print": _ranges(" ~"),
    "punct": _ranges("!/:@[`{~"),
    "space": _ranges("\t\r  "),
    "upper": _ranges("AZ"),
    "word": _ranges("09AZ__az"),
    "xdigit": _ranges("09AFaf"),
}

_CATEGORIES = """
    C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl
    Zp Zs
"""
_SCRIPTS = """
    Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali
    Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma
    Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari
    Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic
    Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew
    Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi
    Kannada Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha
    Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen
    Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi
    Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu
    Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic
    Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong
    Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada
    Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog
    Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh
    Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square
"""


@cache
def unicode_property(name: str) -> Ranges | None:
    """The ASCII characters of a general category or a script; None if Go knows none of that name."""
    from unicodedata import category

    if name == "Any":
        return [(0, LAST)]
    if name in _CATEGORIES.split():
        return [(code, code) for code in range(128) if category(chr(code)).startswith(name)]
    if name not in _SCRIPTS.split():
        return None
    letters = POSIX["alpha"]
    return letters if name == "Latin" else _ascii_without(letters) if name == "Common" else []


def complement(ranges: Ranges) -> Ranges:
    """All characters that the ranges leave out."""
    gaps, start = [], 0
    for low, high in sorted(ranges):
        if low > start:
            gaps.append((start, low - 1))
        start = max(start, high + 1)
    return [*gaps, (start, LAST)] if start <= LAST else gaps


def case_folded(ranges: Ranges) -> Ranges:
    """The ranges with the other case of every letter in them."""
    other = []
    for letter in "abcdefghijklmnopqrstuvwxyz":
        cases = {ord(letter), ord(letter.upper()), *_FOLDED_TO.get(letter, ())}
        if any(low <= code <= high for code in cases for low, high in ranges):
            other += [(code, code) for code in cases]
    return ranges + other


_FOLDED_TO = {"k": (0x212A,), "s": (0x17F,)}
"""The Kelvin sign and the long s are other cases of ASCII letters."""


def _ascii_without(ranges: Ranges) -> Ranges:
    return [(low, min(high, 127)) for low, high in complement(ranges) if low < 128]


_ESCAPE = lazy_pattern(
    r"\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|(0[0-7]{0,2}|[1-7][0-7]{1,2})|([afnrtv])|([\x00-/:-@\[-`{-\x7f]))"
)
_CONTROL = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_PERL = lazy_pattern(r"\\([dswDSW])")
_PROPERTY = lazy_pattern(r"\\([pP])(?:\{(\^?)([^}]*)(?:\}|\Z)|([^{])|\Z)", re.DOTALL)


def read_characters(pattern: str, at: int, *, fold: bool) -> tuple[Ranges, int]:
    """The characters that a letter, escape or bracketed class matches, in any case if `fold`."""
    if pattern[at] == "[":
        return _read_brackets(pattern, at + 1, fold=fold)
    named = _read_named(pattern, at, fold=fold)
    if named is not None:
        return named
    code, at = _read_letter(pattern, at)
    return letter_ranges(chr(code), fold=fold), at


def letter_ranges(letter: str, *, fold: bool) -> Ranges:
    """The characters that one letter matches."""
    return _folded_if([(ord(letter), ord(letter))], fold=fold)


def _read_brackets(pattern: str, at: int, *, fold: bool) -> tuple[Ranges, int]:
    start, is_negated = at, pattern.startswith("^", at)
    at += is_negated
    first, ranges = at, Ranges()
    while at == first or not pattern.startswith("]", at):
        if at >= len(pattern):
            raise refused("missing closing ]", pattern[start - 1 :])
        more, at = _read_item(pattern, at, fold=fold)
        ranges += more
    return complement(ranges) if is_negated else ranges, at + 1


def _read_item(pattern: str, at: int, *, fold: bool) -> tuple[Ranges, int]:
    named = _read_named(pattern, at, fold=fold) or _read_posix(pattern, at, fold=fold)
    if named is not None:
        return named
    start = at
    low, at = _read_letter(pattern, at)
    high = low
    if pattern.startswith("-", at) and at + 1 < len(pattern) and pattern[at + 1] != "]":
        high, at = _read_letter(pattern, at + 1)
    if high < low:
        raise refused("invalid character class range", pattern[start:at])
    return _folded_if([(low, high)], fold=fold), at


def _read_named(pattern: str, at: int, *, fold: bool) -> tuple[Ranges, int] | None:
    """Classes that one letter names, and Unicode properties."""
    if match := _PERL.match(pattern, at):
        name = match[1]
        return _signed(PERL[name.lower()], fold=fold, is_negated=name.isupper()), match.end()
    if match := _PROPERTY.match(pattern, at):
        sign, caret, braced, single = match.groups(default="")
        ranges = unicode_property(braced or single) if match[0][-1] == "}" or single else None
        if ranges is None:
            raise refused("invalid character class range", match[0])
        return _signed(ranges, fold=fold, is_negated=(sign == "P") != (caret == "^")), match.end()
    return None


def _read_posix(pattern: str, at: int, *, fold: bool) -> tuple[Ranges, int] | None:
    end = pattern.find(":]", at + 2) if pattern.startswith("[:", at) else -1
    if end < 0:
        return None
    name = pattern[at + 2 : end]
    if name.removeprefix("^") not in POSIX:
        raise refused("invalid character class range", pattern[at : end + 2])
    return _signed(POSIX[name.removeprefix("^")], fold=fold, is_negated=name.startswith("^")), end + 2


def _read_letter(pattern: str, at: int) -> tuple[int, int]:
    """The code of a character, or of an escape for a character."""
    if pattern[at] != "\\":
        return ord(pattern[at]), at + 1
    match = _ESCAPE.match(pattern, at)
    if match is None:
        raise _refused_escape(pattern, at)
    braced, hexadecimal, octal, control, itself = match.groups()
    if braced or hexadecimal:
        code = int(braced or hexadecimal, 16)
    else:
        code = int(octal, 8) if octal else _CONTROL[control] if control else ord(itself)
    if code > LAST:
        raise _refused_escape(pattern, at)
    return code, match.end()


def _refused_escape(pattern: str, at: int) -> RegexError:
    if at + 1 == len(pattern):
        return refused("trailing backslash at end of expression", "")
    if pattern[at + 1] != "x":
        return refused("invalid escape sequence", pattern[at : at + 2])
    end = at + 4
    if pattern[at + 2 : at + 3] == "{":
        end, code = at + 3, 0
        while code <= LAST and end < len(pattern) and pattern[end] in hexdigits:
            end, code = end + 1, code * 16 + int(pattern[end], 16)
        end += code <= LAST
    return refused("invalid escape sequence", pattern[at:end])


def _signed(ranges: Ranges, *, fold: bool, is_negated: bool) -> Ranges:
    ranges = _folded_if(ranges, fold=fold)
    return complement(ranges) if is_negated else ranges


def _folded_if(ranges: Ranges, *, fold: bool) -> Ranges:
    return case_folded(ranges) if fold else ranges
