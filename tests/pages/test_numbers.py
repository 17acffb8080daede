"""The numbers and words of a page are those of the JSON document and of the text."""

import re
import shutil
from collections import Counter
from pathlib import Path

from playwright.sync_api import Browser, Locator

from tests.pages.browsing import opened
from tests.pages.conftest import SAMPLES
from tests.pages.made_pages import MadePage


def table(found: Locator) -> dict[str, list[str]]:
    """The rows of a table by the first line of their first cell."""
    rows = found.locator("tbody tr").all()
    cells = [[cell.inner_text().strip() for cell in row.locator("th, td").all()] for row in rows]
    return {first.split("\n")[0]: rest for first, *rest in cells}


def whole(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_a_plan_page_says_what_the_text_says(browser: Browser, plan_of_cluster: MadePage) -> None:
    [item] = plan_of_cluster.document["sidecarSets"]
    with opened(browser, plan_of_cluster.file) as shown:
        assert shown.page.locator(".sentence").inner_text().startswith(item["message"])
        assert shown.page.locator("h2 .badge").inner_text() == item["ending"]
        assert plan_of_cluster.document["behavior"] in shown.page.locator(".behavior").inner_text()
        text = whole(plan_of_cluster.text)
        for line in shown.page.locator(".facts dd").all():
            assert whole(line.inner_text()) in text
        for title in shown.page.locator(".group summary").all():
            assert whole(title.inner_text()) in text


def test_a_plan_page_has_the_numbers_of_the_document(browser: Browser, plan_of_cluster: MadePage) -> None:
    [item] = plan_of_cluster.document["sidecarSets"]
    counts, waves = item["counts"], item["waves"]
    with opened(browser, plan_of_cluster.file) as shown:
        standing = table(shown.page.locator(".standing"))
        for column, counted in enumerate((counts["before"], counts["after"])):
            at = {word: int(cells[column]) for word, cells in standing.items()}
            assert sum(at.values()) == counted["matchedPods"]
            assert at["updated"] == counted["updatedReadyPods"]
            assert at["updated"] + at["updating"] == counted["updatedPods"]
        held = item["heldBack"]
        assert standing["held back"][1] == str(len(held["partition"]) + len(held["selector"]) + len(held["paused"]))
        assert standing["not updatable"][1] == str(len(item["blocked"]))
        lines = shown.page.locator("details.wave > summary").all()
        assert len(lines) == len(waves)
        for line, wave in zip(lines, waves, strict=True):
            told = line.inner_text()
            assert f"{len(wave['pods'])} pod" in told
            assert f"{wave['unavailableAfter']} unavailable" in told
        groups = table(shown.page.locator("table.groups"))
        by = {entry["value"]: [str(entry["largest"]), str(entry["pods"])] for entry in item["largestUnavailableBy"]}
        assert {value: cells[:2] for value, cells in groups.items()} == by


def test_the_chart_ends_each_round_with_the_numbers_of_the_document(
    browser: Browser, plan_of_cluster: MadePage
) -> None:
    [item] = plan_of_cluster.document["sidecarSets"]
    with opened(browser, plan_of_cluster.file) as shown:
        steps = shown.page.evaluate("JSON.parse(document.getElementById('data').textContent)")["charts"][0]["steps"]
    updated = item["counts"]["before"]["updatedPods"]
    waves = {wave["round"]: wave for wave in item["waves"]}
    for step in steps[1:]:
        wave = waves.get(step["last"])
        updated += len(wave["pods"]) if wave else 0
        assert step["pods"][0] + step["pods"][1] == updated
        if wave:
            assert step["unavailable"] == wave["unavailableAfter"]
    assert max(step["unavailable"] for step in steps[1:]) == item["window"]["largestUnavailable"]


def test_a_status_page_has_the_numbers_of_the_document(browser: Browser, status_of_cluster: MadePage) -> None:
    [item] = status_of_cluster.document["sidecarSets"]
    states = Counter(pod["state"] for pod in item["pods"]) + Counter(pod["reason"] for pod in item["leftOut"])
    with opened(browser, status_of_cluster.file) as shown:
        for group in shown.page.locator(".states > li").all():
            state = str(group.get_attribute("data-state"))
            assert group.locator(".n").inner_text() == str(states[state])
            assert group.locator(".square").count() == states.pop(state)
        assert not states
        rows = shown.page.evaluate("JSON.parse(document.getElementById('data').textContent)")["tables"][0]["rows"]
        assert {row[0] for row in rows} == {
            f"{pod['namespace']}/{pod['name']}" for pod in (*item["pods"], *item["leftOut"])
        }
        text = whole(status_of_cluster.text)
        assert whole(shown.page.locator(".sentence").inner_text()) in text
        for line in shown.page.locator(".facts dd").all():
            assert whole(line.inner_text()) in text


def test_a_sweep_page_has_the_numbers_of_the_document(browser: Browser, sweep_of_sample: MadePage) -> None:
    rows = sweep_of_sample.document["rows"]
    with opened(browser, sweep_of_sample.file) as shown:
        cells = table(shown.page.locator("section table"))
        for row in rows:
            updated, _, waves, rounds, largest, ending = cells[
                row["value"] if isinstance(row["value"], str) else str(row["value"])
            ]
            numbers = [row[key] for key in ("updatedPods", "waves", "rounds", "largestUnavailable")]
            assert [int(text) for text in (updated, waves, rounds, largest)] == numbers
            assert ending == row["ending"]
        assert shown.page.locator(".card").count() == len(rows)


def test_a_grid_page_has_a_cell_for_each_pair_of_values(browser: Browser, tmp_path: Path) -> None:
    sample = SAMPLES / "rollouts" / "partition-50"
    words = (sample / "sidecarset.yaml", sample / "workloads.yaml", "--from", sample / "old.yaml")
    made = MadePage.of(tmp_path, "plan", *words, "--sweep", "partition=0,50%", "--sweep", "maxUnavailable=5,10,25")
    with opened(browser, made.file) as shown:
        heads = [row.locator("th").first.inner_text() for row in shown.page.locator("section thead tr").all()]
        assert heads == ["updated", "waves", "most unavailable", "ending"]
        cells = table(shown.page.locator("section table").nth(1))
        waves = {(row["value"], row["columnValue"]): f"{row['waves']:,}" for row in made.document["rows"]}
        for value in (0, "50%"):
            assert list(cells[str(value)]) == [waves[value, column] for column in (5, 10, 25)]
        titles = shown.page.locator(".card h3").all_inner_texts()
    assert titles[0] == "partition 0, maxUnavailable 5"
    assert len(titles) == len(set(titles)) == len(made.document["rows"])


def test_a_diff_page_has_the_verdicts_and_fields_of_the_document(browser: Browser, diff_of_sample: MadePage) -> None:
    text = whole(diff_of_sample.text)
    with opened(browser, diff_of_sample.file) as shown:
        assert [item["verdict"] for item in diff_of_sample.document["sidecarSets"]] == ["Recreate", "InPlace"]
        changed = []
        for item in diff_of_sample.document["sidecarSets"]:
            verdicts = ", ".join(item["verdicts"])
            heading = shown.page.get_by_role("heading", name=f"SidecarSet {item['name']} {verdicts}", exact=True)
            section = shown.page.locator("section").filter(has=heading)
            assert section.locator("h2 .badge").inner_text() == verdicts
            what, sentence = section.locator(".sentence").inner_text().split(". ", 1)
            assert sentence == item["explanation"]
            changed.append(what)
            fields = [code.inner_text() for code in section.locator(".fields th code").all()]
            assert fields == [field["path"] for field in item["fields"]]
            assert item["after"]["hash"][:12] in section.locator(".facts").inner_text()
            for reason in section.locator(".detail li").all():
                assert whole(reason.inner_text()) in text
        upgrade = "sidecar 1.0 → 2.0; updateStrategy.partition 0 → 50; updateStrategy.maxUnavailable 1 → 10"
        assert changed == ["sidecar args added", upgrade]


def test_a_page_of_trees_has_the_diffs_of_the_text(browser: Browser, trees_of_shop: MadePage) -> None:
    with opened(browser, trees_of_shop.file) as shown:
        diffs = [diff.inner_text() for diff in shown.page.locator("[id^=section-2-] pre.diff").all()]
        assert diffs
        assert all(line in trees_of_shop.text.splitlines() for diff in diffs for line in diff.splitlines())
        assert sum(diff.count("\n+ ") for diff in diffs) == trees_of_shop.text.count("\n+ ")


def test_a_page_of_an_upgrade_names_both_releases(browser: Browser, upgrade_of_sample: MadePage) -> None:
    with opened(browser, upgrade_of_sample.file) as shown:
        assert shown.page.locator("h1").inner_text() == upgrade_of_sample.text.splitlines()[0]
        text = whole(upgrade_of_sample.text)
        for line in shown.page.locator(".detail li").all():
            assert whole(line.inner_text()) in text


def test_a_validation_page_marks_the_line_of_each_finding(browser: Browser, validation_of_mesh: MadePage) -> None:
    found = validation_of_mesh.document["findings"]
    lines = {item["file"]: Path(item["file"]).read_text().splitlines() for item in found if "file" in item}
    with opened(browser, validation_of_mesh.file) as shown:
        shown.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert shown.page.locator(".finding").count() == len(found)
        for item in found:
            place = f"{item['file']}:{item['line']}:{item['column']}"
            said = (place, item.get("rule") or item["reason"], item["message"])
            rows = shown.page.locator(".finding")
            for text in said:
                rows = rows.filter(has_text=text)
            assert rows.first.locator("mark").inner_text() == lines[item["file"]][item["line"] - 1]


def test_like_waves_are_folded_with_their_count(tmp_path: Path) -> None:
    sample = SAMPLES / "rollouts" / "partition-50"
    words: list[str | Path] = [
        sample / "sidecarset.yaml",
        sample / "workloads.yaml",
        "--from",
        sample / "old.yaml",
        "--partition",
        "0",
    ]
    made = MadePage.of(tmp_path, "plan", *words, "--max-unavailable", "1")
    [item] = made.document["sidecarSets"]
    counts = re.findall(r'class="count">([^<]*)<', made.source)
    alike = [int(count.split()[0]) for count in counts if "\N{MULTIPLICATION SIGN}" in count]
    single = [count for count in counts if count == "1 pod"]
    assert len(alike) + len(single) == len(counts)
    assert sum(alike) + len(single) == len(item["waves"])
    assert [count for count in counts if count.endswith(" \N{MULTIPLICATION SIGN} 1 pod")]
    assert "mixed" not in made.source


def test_a_sweep_marks_the_best_of_the_values_that_update_most(tmp_path: Path) -> None:
    sample = SAMPLES / "rollouts" / "partition-50"
    words: list[str | Path] = [sample / "sidecarset.yaml", sample / "workloads.yaml", "--from", sample / "old.yaml"]
    made = MadePage.of(tmp_path, "plan", *words, "--partition", "0", "--sweep", "max-unavailable=5,10,25")
    cards = made.source.split('<li class="card">')[1:]
    marks = [re.findall(r'badge good">(fewest[^<]*)<', card) for card in cards]
    assert marks == [["fewest unavailable"], [], ["fewest rounds"]]
    assert "fewest rounds, and the fewest pods" in made.source
    timed = MadePage.of(tmp_path, "plan", *words, "--sweep", "max-unavailable=5,10", "--pod-update-duration", "30s")
    assert re.findall(r'badge good">(shortest[^<]*)<', timed.source) == ["shortest time"]
    assert "of the values that update the most pods" in made.source
    alike = MadePage.of(tmp_path, "plan", *words, "--sweep", "partition=0,50")
    assert "fewest" not in alike.source


def test_a_diff_page_names_what_was_compared_and_folds_long_values(mesh: Path, tmp_path: Path) -> None:
    after = (mesh / "after" / "sidecarsets.yaml").read_text().replace("--compress=zstd", f"--filter={'a' * 200}")
    (tmp_path / "after.yaml").write_text(after)
    words = (mesh / "before" / "sidecarsets.yaml", tmp_path / "after.yaml", mesh / "before" / "deployments.yaml")
    made = MadePage.of(tmp_path, "diff", *words)
    assert f"<h1>Changes from {words[0]} to {words[1]}</h1>" in made.source
    assert re.search(
        r"<details><summary><code>[^<]* … \(\d+ characters\)</code></summary><code>[^<]*a{200}", made.source
    )
    assert 'class="added">+    image: registry.example.com/platform/mesh-proxy:2.9.0' in made.source
    assert "Pods of workloads:" in made.source


def test_no_badge_is_repeated_by_its_sentence(mesh: Path, tmp_path: Path) -> None:
    after = tmp_path / "after"
    shutil.copytree(mesh / "after", after)
    sets = after / "sidecarsets.yaml"
    sets.write_text(sets.read_text().replace("name: vault-agent\nspec", "name: vault-agent-2\nspec"))
    (after / "deployments.yaml").write_text(
        (after / "deployments.yaml").read_text().replace("/cart:3.4.1", "/cart:3.4.2")
    )
    made = MadePage.of(tmp_path, "diff", "--before", mesh / "before", "--after", after)
    texts = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", made.source))
    assert "vault-agent-2 added, SidecarGained" in texts
    assert not re.search(r"\b(changed|added|removed|failed)\W+\1\b", texts)
