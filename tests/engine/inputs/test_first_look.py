"""What cannot matter is not parsed, and it certainly cannot."""

import random
from pathlib import Path

import pytest

from benchmarks.real_tree import files
from sidecarctl.engine.documents.reading.streams import header_of, hides_words, split
from sidecarctl.engine.inputs.first_look import FirstLook
from tests.corpus.test_manifests import MANIFESTS
from tests.effort import unmeasured
from tests.fuzz.look_targets import LOOK, look, passes_rightly
from tests.fuzz.mutations import mutated

ROLE = b"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: a\nrules:\n- verbs: [get]\n"
SAMPLES = sorted((Path(__file__).parents[3] / "samples").rglob("*.yaml"))

SURE = {
    "plain": b"",
    "a marker": b"---\n",
    "a marker with blanks": b"--- \t\n",
    "comments and blank lines": b"---\n# a\n\n  # b\n",
}
FURTHER = {
    "nothing": b"",
    "a comment at column 0": b"# c\n",
    "a block scalar": b"data:\n  a: |\n    kind: Pod\n",
    "a list at column 0": b"subjects:\n- kind: Pod\n-\n  kind: Pod\n",
    "other letters": "a: \u00e4\n".encode(),
    "a key with signs": b"x-a.b/c:\n",
}
UNSURE_STARTS = {
    "a directive": b"%YAML 1.1\n---\n",
    "content on the marker": b"--- # c\n",
    "an anchor on the marker": b"--- &a\n",
    "an anchor": b"&a\n",
    "a tag": b"!!map\n",
    "another key first": b"metadata:\n",
    "a byte order mark": b"\xef\xbb\xbf",
    "flow style": b"{}\n",
}
UNSURE_REST = {
    "a second kind": b"kind: Pod\n",
    "a second apiVersion": b"apiVersion: v1\n",
    "a quoted key": b'"kind": Pod\n',
    "a key in other quotes": b"'kind': Pod\n",
    "a blank before the colon": b"kind : Pod\n",
    "an explicit key": b"? kind\n: Pod\n",
    "an anchor on a key": b"&a kind: Pod\n",
    "a tag on a key": b"!!str kind: Pod\n",
    "an alias as a key": b"*a : Pod\n",
    "a merge key": b"<<: {kind: Pod}\n",
    "a value that continues at column 0": b'a: "\nkind: Pod"\n',
    "a bracket at column 0": b"a: [\n]\n",
    "the end of the document": b"...\n",
    "a lone CR": b"a: b\rkind: Pod\n",
    "a next line": b"a: b\xc2\x85kind: Pod\n",
    "a line separator": b"a: b\xe2\x80\xa8kind: Pod\n",
    "a paragraph separator": b"a: b\xe2\x80\xa9kind: Pod\n",
    "a byte order mark": b"a: \xef\xbb\xbf\n",
    "a null byte": b"a: \0\n",
    "no UTF-8": b"a: \xff\n",
    "a template": b"{{ a }}\n",
}
UNSURE_WORDS = {
    "quotes": (b"kind: Role", b'kind: "Role"'),
    "a value that continues": (b"kind: Role\n", b"kind: Role\n  b\n"),
    "a value that continues below blank lines": (b"kind: Role\n", b"kind: Role\n\n\n b\n"),
    "an anchor": (b"kind: Role", b"kind: &a Role"),
    "a tag": (b"kind: Role", b"kind: !!str Role"),
    "an alias": (b"kind: Role", b"kind: *a"),
    "the next line": (b"kind: Role", b"kind:\n  Role"),
    "nothing": (b"kind: Role", b"kind:"),
    "null": (b"kind: Role", b"kind: Null"),
    "a boolean": (b"kind: Role", b"kind: Yes"),
    "two words": (b"kind: Role", b"kind: Role b"),
    "no kind": (b"kind: Role\n", b""),
    "a number as the version": (b"rbac.authorization.k8s.io/v1", b"1"),
    "an indented root": (b"apiVersion", b" apiVersion"),
    "a key between": (b"kind: Role", b"metadata: {}\nkind: Role"),
    "a hash without a blank": (b"kind: Role", b"kind: Role#b"),
}


@pytest.mark.parametrize("start", SURE.values(), ids=SURE)
@pytest.mark.parametrize("further", FURTHER.values(), ids=FURTHER)
def test_a_plain_header_is_reported(start: bytes, further: bytes) -> None:
    for text in (start + ROLE + further, (start + ROLE + further).replace(b"\n", b"\r\n")):
        header = header_of(text)
        assert header
        assert header[:2] == ("rbac.authorization.k8s.io/v1", "Role")
        assert [passes_rightly(chunk) for chunk in split([text], 1 << 16)][-1]


def test_the_order_of_kind_and_version_and_comments_beside_them_do_not_matter() -> None:
    for text in (b"kind: A # b\n\n# c\napiVersion:  v1\t# d", b"apiVersion: v1\nkind: A"):
        header = header_of(text)
        assert header
        assert header[:2] == ("v1", "A")


@pytest.mark.parametrize("start", UNSURE_STARTS.values(), ids=UNSURE_STARTS)
def test_no_header_is_reported_after_such_a_start(start: bytes) -> None:
    assert header_of(start + ROLE) is None


@pytest.mark.parametrize("rest", UNSURE_REST.values(), ids=UNSURE_REST)
def test_no_header_is_reported_before_such_lines(rest: bytes) -> None:
    assert header_of(ROLE) is not None
    assert header_of(ROLE + rest) is None


@pytest.mark.parametrize(("words", "others"), UNSURE_WORDS.values(), ids=UNSURE_WORDS)
def test_no_header_is_reported_for_such_words(words: bytes, others: bytes) -> None:
    assert words in ROLE
    assert header_of(ROLE.replace(words, others)) is None


@pytest.mark.parametrize(
    "text",
    [b'"\\x63"', b'"\\u0063"', b'"\\U00000063"', b'"a\\\nb"', b"!!binary Yg==", b"!<tag:yaml.org,2002:binary> Yg=="],
)
def test_words_can_be_hidden(text: bytes) -> None:
    assert hides_words(b"a: " + text)
    assert not LOOK.passed(ROLE + b"a: " + text)


def test_plain_text_hides_no_words() -> None:
    assert not hides_words(b'a: "b\\n\\"c" !d')


MATTERS = {
    "pods": b"apiVersion: apps/v1\nkind: Deployment\n",
    "a kind of pods in a wrong group": b"apiVersion: apps/v1\nkind: CronJob\n",
    "a Service that is meant to be one of Knative": (
        b"apiVersion: v1\nkind: Service\nspec: {template: {spec: {serviceAccountName: a}}}\n"
    ),
    "a Service with what looks like pods": b"apiVersion: v1\nkind: Service\nspec: {containers: [{name: a}]}\n",
    "a List": b"apiVersion: v1\nkind: ServiceList\nitems: []\n",
    "what decides": b"apiVersion: v1\nkind: Namespace\n",
    "almost a SidecarSet": b"apiVersion: apps.kruise.io/v1beta1\nkind: SidecarSte\n",
    "the whitelist": b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kruise-configuration}\n",
    "pods of an unknown kind": b"apiVersion: a.b/v1\nkind: Widget\nspec: {containers: [{name: a, image: b}]}\n",
    "pods made by an operator": b"apiVersion: tekton.dev/v1\nkind: Task\n",
    "ours": b"apiVersion: sidecarctl.dev/v1alpha1\nkind: RolloutPlan\n",
}


@pytest.mark.parametrize("text", MATTERS.values(), ids=MATTERS)
def test_what_may_matter_is_parsed(text: bytes) -> None:
    assert header_of(text)
    assert LOOK.passed(text) is None


def test_a_service_of_the_core_group_does_not_matter() -> None:
    text = b"apiVersion: v1\nkind: Service\nspec: {ports: [{port: 80}]}\n"
    assert LOOK.passed(text)
    assert LOOK.passed(text.replace(b"v1", b"v1beta1", 1)) is None
    assert LOOK.passed(text + b"  type: !!str ClusterIP\n") is None


def test_schemas_of_pods_do_not_matter() -> None:
    text = b"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {containers: [a]}\n"
    assert LOOK.passed(text)


def test_what_the_user_or_the_command_looks_at_is_parsed() -> None:
    assert LOOK.passed(ROLE)
    assert FirstLook(is_on=True, taught=frozenset(("Role",))).passed(ROLE) is None
    assert LOOK.using(frozenset(("Role",))).passed(ROLE) is None
    assert FirstLook().passed(ROLE) is None


def test_a_workload_need_not_be_parsed_to_know_that_it_decides_nothing() -> None:
    assert LOOK.decides_nothing(MATTERS["pods"])
    for name in ("a List", "what decides", "almost a SidecarSet", "the whitelist"):
        assert not LOOK.decides_nothing(MATTERS[name])


@unmeasured
def test_nothing_that_matters_is_skipped_in_real_manifests() -> None:
    chance = random.Random(3)  # noqa: S311 - the same texts each time
    for path in (*MANIFESTS, *SAMPLES):
        data = path.read_bytes()
        look(data)
        look(mutated(data, chance))


def test_most_of_a_realistic_tree_is_skipped() -> None:
    texts = [text.encode() for _, text in files()]
    chunks = [chunk for text in texts for chunk in split([text], 1 << 20)]
    passed = sum(len(chunk.data) for chunk in chunks if LOOK.passed(chunk.data))
    assert passed > 0.75 * sum(map(len, texts))
