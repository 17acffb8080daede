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

  // Tables of pods, searched as a whole though few rows are drawn.
  for (const section of document.querySelectorAll("section[data-table]")) {
    const table = data.tables[Number(section.dataset.table)];
    const form = section.querySelector(".filter");
    if (!form) continue;
    const [search, found] = [form.querySelector("input[type=search]"), form.querySelector(".found")];
    const boxes = [...form.querySelectorAll("input[type=checkbox]")];
    const body = section.querySelector(".scroll.pods tbody");
    const swatch = body.querySelector(".swatch");
    const fourth = section.querySelector(".scroll.pods thead th:nth-child(4)").textContent;
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
      const states = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
      const texts = table.texts.map((text) => text.toLowerCase().includes(wanted));
      const matching = table.rows.filter(([pod, state, revision, , why]) =>
        states.has(table.texts[state]) &&
        (texts[revision] || texts[why] || pod.toLowerCase().includes(wanted)));
      body.replaceChildren(...matching.slice(0, table.drawn).map(drawn));
      const capped = matching.length > table.drawn ? `, the first ${number(table.drawn)} are shown` : "";
      const beyond = table.more ? `; ${number(table.more)} further pods are not searched` : "";
      found.textContent = `${number(matching.length)} of ${number(table.rows.length + table.more)} pods${capped}${beyond}`;
      for (const group of section.querySelectorAll("[data-state]")) {
        group.classList.toggle("off", !states.has(group.dataset.state));
        group.querySelector("p").setAttribute("aria-pressed", String(states.has(group.dataset.state)));
      }
      const more = section.querySelector(".more");
      if (more) more.hidden = true;
    };
    const [find, without] = [`find${section.dataset.table}`, `without${section.dataset.table}`];
    const filterAndKeep = () => {
      filter();
      keep(find, search.value.trim());
      keep(without, boxes.filter((box) => !box.checked).map((box) => box.value).join(","));
    };
    form.addEventListener("input", filterAndKeep);
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const square of section.querySelectorAll(".square")) {
      square.addEventListener("click", () => {
        search.value = square.title.split(/: | to /)[0];
        filterAndKeep();
        search.focus();
      });
    }
    // States of the legend and namespaces filter too.
    const asButton = (element, press) => {
      element.setAttribute("role", "button");
      element.tabIndex = 0;
      element.addEventListener("click", press);
      element.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        press();
      });
    };
    for (const group of section.querySelectorAll("[data-state]")) {
      const box = boxes.find((each) => each.value === group.dataset.state);
      const label = group.querySelector("p");
      asButton(label, () => {
        box.checked = !box.checked;
        filterAndKeep();
      });
      label.setAttribute("aria-pressed", String(box.checked));
    }
    for (const cellOf of section.querySelectorAll("[data-find]")) {
      const button = document.createElement("span");
      button.textContent = cellOf.textContent;
      cellOf.replaceChildren(button);
      asButton(button, () => {
        search.value = search.value === cellOf.dataset.find ? "" : cellOf.dataset.find;
        filterAndKeep();
      });
    }
    form.hidden = false;
    found.textContent = `${number(table.rows.length + table.more)} pods`;
    if (kept.has(find) || kept.has(without)) {
      const off = new Set((kept.get(without) || "").split(","));
      search.value = kept.get(find) || "";
      for (const box of boxes) box.checked = !off.has(box.value);
      filter();
    }
  }

  // A link to something that is folded opens it.
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  addEventListener("hashchange", open);
  open();
})();
