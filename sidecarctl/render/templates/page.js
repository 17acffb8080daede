"use strict";
// Everything can be read without this script. Text is only ever put in as textContent.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);

  const number = (value) => value.toLocaleString("en-US");

  // The rounds of a chart, one by one.
  for (const figure of document.querySelectorAll("figure[data-chart]")) {
    const chart = data.charts[Number(figure.dataset.chart)];
    const probing = figure.querySelector(".probing");
    const slider = probing.querySelector("input");
    const told = probing.querySelector("output");
    const marks = figure.querySelectorAll(".probe");
    const show = () => {
      const step = chart.steps[Number(slider.value)];
      const pods = step.pods.map((count, index) => `${number(count)} ${chart.words[index]}`);
      const text = `${step.label}: ${pods.join(", ")}; ${number(step.unavailable)} unavailable, ` +
        `${number(step.updating)} of ${number(chart.limit)} of the budget taken`;
      told.textContent = text;
      slider.setAttribute("aria-valuetext", text);
      const x = (((step.first + step.last + 1) / 2) / (chart.rounds + 1)) * 1000;
      for (const mark of marks) {
        mark.setAttribute("d", `M${x} 0V100`);
        mark.setAttribute("visibility", "visible");
      }
    };
    slider.addEventListener("input", show);
    for (const plot of figure.querySelectorAll(".plot")) {
      plot.addEventListener("pointermove", (event) => {
        const box = plot.getBoundingClientRect();
        const round = ((event.clientX - box.left) / box.width) * (chart.rounds + 1);
        const found = chart.steps.findIndex((step) => round < step.last + 1);
        slider.value = String(found < 0 ? chart.steps.length - 1 : found);
        show();
      });
    }
    probing.hidden = false;
    told.textContent = "Move the slider, or point at the chart.";
  }

  // What is searched for is kept in the address, so that it can be sent to others.
  const kept = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  const keep = (name, value) => {
    if (value) kept.set(name, value);
    else kept.delete(name);
    history.replaceState(null, "", `#${kept}`);
  };
  const checked = (boxes) => new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  const restore = (boxes, name) => {
    const off = new Set((kept.get(name) || "").split(","));
    for (const box of boxes) box.checked = !off.has(box.value);
  };
  const keepUnchecked = (boxes, name) =>
    keep(name, boxes.filter((box) => !box.checked).map((box) => box.value).join(","));

  // Tables of pods, searched as a whole though few rows are drawn.
  for (const section of document.querySelectorAll("[data-table]")) {
    const table = data.tables[Number(section.dataset.table)];
    const form = section.querySelector("form.filter");
    if (!form) continue;
    const [search, found] = [form.querySelector("input[type=search]"), form.querySelector(".found")];
    const boxes = [...section.querySelectorAll(".states input")];
    const body = section.querySelector(".scroll.pods tbody");
    const swatch = body.querySelector(".swatch");
    const fourth = section.querySelector(".scroll.pods thead th:nth-child(4)").textContent;
    const [find, without, only] = ["find", "without", "of"].map((name) => name + section.dataset.table);
    let group = kept.get(only) || "";
    const cell = (tag, text, label) => {
      const made = document.createElement(tag);
      made.textContent = text;
      if (label) made.dataset.label = label;
      return made;
    };
    const drawn = ([pod, state, revision, ready, why, color]) => {
      const row = document.createElement("tr");
      const name = cell("th", pod);
      name.scope = "row";
      const stands = cell("td", ` ${table.texts[state]}`);
      stands.className = "state";
      const mark = swatch.cloneNode(true);
      mark.firstElementChild.setAttribute("class", `fill-${table.texts[color]}`);
      stands.prepend(mark);
      const because = cell("td", table.texts[why]);
      because.className = "any";
      const injected = cell("td", table.texts[revision], "injected");
      injected.className = "hash";
      row.append(name, stands, injected, cell("td", table.texts[ready], fourth), because);
      return row;
    };
    const filter = () => {
      const wanted = search.value.trim().toLowerCase();
      const states = checked(boxes);
      const texts = table.texts.map((text) => text.toLowerCase().includes(wanted));
      const matching = table.rows.filter(([pod, state, revision, , why, , workload]) =>
        states.has(table.texts[state]) &&
        (!group || table.texts[workload] === group || pod.startsWith(`${group}/`)) &&
        (texts[revision] || texts[why] || texts[workload] || pod.toLowerCase().includes(wanted)));
      body.replaceChildren(...matching.slice(0, table.drawn).map(drawn));
      const capped = matching.length > table.drawn ? `, the first ${number(table.drawn)} are shown` : "";
      const beyond = table.more ? `; ${number(table.more)} further pods are not searched` : "";
      const within = group ? `, only those of ${group}` : "";
      found.textContent =
        `${number(matching.length)} of ${number(table.rows.length + table.more)} pods${within}${capped}${beyond}`;
      for (const each of section.querySelectorAll("[data-state]"))
        each.classList.toggle("off", !states.has(each.dataset.state));
      for (const each of section.querySelectorAll("[data-group]"))
        each.firstChild.setAttribute("aria-pressed", String(each.dataset.group === group));
      const more = section.querySelector(".more");
      if (more) more.hidden = true;
    };
    const filterAndKeep = () => {
      filter();
      keep(find, search.value.trim());
      keep(only, group);
      keepUnchecked(boxes, without);
    };
    section.addEventListener("input", filterAndKeep);
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const square of section.querySelectorAll(".square")) {
      square.addEventListener("click", () => {
        search.value = square.title.split(/: | to /)[0];
        filterAndKeep();
        search.focus();
      });
    }
    // Namespaces and workloads filter too.
    for (const head of section.querySelectorAll("[data-group]")) {
      const button = document.createElement("button");
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        group = group === head.dataset.group ? "" : head.dataset.group;
        filterAndKeep();
      });
    }
    for (const each of [form, ...boxes]) each.hidden = false;
    search.value = kept.get(find) || "";
    restore(boxes, without);
    if (kept.has(find) || kept.has(without) || group) filter();
    else found.textContent = `${number(table.rows.length + table.more)} pods`;
  }

  // Findings by severity or by file, all of them or those of a rule.
  for (const list of document.querySelectorAll("[data-findings]")) {
    const form = list.querySelector("form.filter");
    if (!form) continue;
    const boxes = [...form.querySelectorAll("[name=severity]")];
    const findings = [...list.querySelectorAll(".finding")];
    const homes = findings.map((finding) => finding.parentElement);
    const bySeverity = [...list.querySelectorAll(".findings")];
    const files = new Map();
    for (const finding of findings) {
      if (files.has(finding.dataset.file)) continue;
      const section = document.createElement("section");
      section.className = "findings";
      const [title, own] = ["h2", "ul"].map((tag) => section.appendChild(document.createElement(tag)));
      title.textContent = finding.dataset.file;
      files.set(finding.dataset.file, own);
    }
    const byFile = [...files.values()].map((own) => own.parentElement);
    const show = () => {
      const [severities, rule] = [checked(boxes), form.elements.rule.value];
      const isByFile = form.elements.by.value === "file";
      findings.forEach((finding, index) => {
        const home = isByFile ? files.get(finding.dataset.file) : homes[index];
        home.append(finding);
        finding.hidden = !severities.has(finding.classList[1]) || (rule && finding.dataset.rule !== rule);
      });
      for (const each of bySeverity) isByFile ? each.remove() : list.append(each);
      for (const each of byFile) isByFile ? list.append(each) : each.remove();
      for (const each of list.querySelectorAll(".findings, .alike"))
        each.hidden = !each.querySelector(".finding:not([hidden])");
      const left = findings.filter((finding) => !finding.hidden).length;
      form.querySelector(".found").textContent = `${number(left)} of ${number(findings.length)} findings`;
    };
    form.addEventListener("input", () => {
      show();
      keep("by", form.elements.by.value === "file" ? "file" : "");
      keep("rule", form.elements.rule.value);
      keepUnchecked(boxes, "without");
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    restore(boxes, "without");
    form.elements.rule.value = kept.get("rule") || "";
    if (form.elements.rule.selectedIndex < 0) form.elements.rule.value = "";
    if (kept.get("by") === "file") form.elements.by.value = "file";
    form.hidden = false;
    show();
  }

  // Clusters by SidecarSets: sorted by a column, the worst first, and chosen by name or by what differs.
  for (const matrix of document.querySelectorAll("table.matrix")) {
    const body = matrix.tBodies[0];
    const rows = [...body.rows];
    const compare = new Intl.Collator("en", { numeric: true }).compare;
    const heads = [...matrix.tHead.rows[0].cells];
    const sort = (head, column) => {
      const keyed = rows.map((row) => [Number(row.cells[column].dataset.rank || 0), row.cells[column].textContent, row]);
      keyed.sort(([rank, text], [other, others]) => rank - other || compare(text, others));
      body.replaceChildren(...keyed.map(([, , row]) => row));
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", "ascending");
    };
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => sort(head, column));
    });
    const form = matrix.closest("section").querySelector(".filter");
    const [search, differs] = form.querySelectorAll("input");
    const filter = () => {
      const wanted = search.value.trim().toLowerCase();
      for (const row of rows) {
        row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted) ||
          (differs.checked && !row.querySelector(".differs"));
      }
      form.querySelector(".found").textContent =
        `${number(rows.filter((row) => !row.hidden).length)} of ${number(rows.length)} clusters`;
    };
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    filter();
  }

  // Tables that are wider than their window say how many columns are beyond its edge.
  for (const area of document.querySelectorAll(".scroll")) {
    const hint = document.createElement("p");
    hint.className = "key hidden-columns";
    hint.hidden = true;
    area.before(hint);
    const heads = area.querySelectorAll("thead th");
    const show = () => {
      const edge = area.getBoundingClientRect().right + 1;
      const beyond = [...heads].filter((head) => head.getBoundingClientRect().right > edge).length;
      hint.hidden = area.scrollWidth <= area.clientWidth + 1;
      hint.textContent = beyond ? `${number(beyond)} more column${beyond > 1 ? "s" : ""} →` : "← scroll back";
    };
    area.addEventListener("scroll", show, { passive: true });
    new ResizeObserver(show).observe(area);
  }

  // A link to something that is folded opens it.
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  addEventListener("hashchange", open);
  open();
})();
