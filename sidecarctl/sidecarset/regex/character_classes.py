"""Character classes of Go's regular expressions, as ranges of code points.

Names that are matched (containers, annotation keys) are ASCII, so Unicode properties and the folding of case
know ASCII characters alone; the negation of a class holds for all others.
"""

from functools import cache

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


def folded(ranges: Ranges) -> Ranges:
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
