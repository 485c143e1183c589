/* SPDX-License-Identifier: MIT
 * Makes a page's map one to use: hover, keys, other views, the card of a cell. The pictures and all
 * figures are the program's own; all text that came from a file is set as text, never as markup. */
"use strict";
(() => {
  const holder = document.getElementById("data");
  if (!holder) return;
  const data = JSON.parse(holder.textContent);
  const { words, views, columns, rows } = data;
  const $ = (id) => document.getElementById(id);

  const build = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes || {}))
      node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const make = (tag, attributes, ...children) =>
    build(document.createElement(tag), attributes, children);
  const draw = (tag, attributes, ...children) =>
    build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  /* ---- What the table has ---- */

  const heads = [...document.querySelectorAll("#all thead th")];
  const nAxes = heads.filter((head) => head.className === "axis").length;
  const lines = new Map([...document.querySelectorAll("#all tbody tr")]
    .map((line) => [Number(line.dataset.cell), [...line.children].map((d) => d.textContent)]));
  const describe = (cell) => {
    const line = lines.get(cell);
    if (!line) return "–";
    const where = line.slice(0, nAxes).map((value, i) => `${heads[i].textContent} = ${value}`);
    return `${where.join(", ")}: ${describeValue(line)}`;
  };
  const describeValue = (line) => {
    const value = line[heads.findIndex((head) => head.dataset.metric === view.metric)];
    return /^[–-]?$/.test(value || "") ? line[nAxes] : value;
  };

  /* ---- The page around the map ---- */

  const picture = $("picture");
  const map = picture.firstElementChild;
  const cells = map.querySelector(".cells");
  const images = ["light", "dark"].map((theme) => map.querySelector(`image.${theme}`));
  const originals = images.map((image) => image.getAttribute("href"));
  const heading = $("map-heading");
  const about = $("map").querySelector(".note");
  const readOut = make("p", { class: "read-out", "aria-hidden": "true" });
  const status = make("p", { class: "spoken", role: "status", id: "status" });
  const controls = make("div", { class: "controls" });
  const details = make("section", {
    class: "card", id: "cell", tabindex: "0", "aria-labelledby": "cell-heading",
  });
  const marks = ["cursor-back", "cursor"].map((name) =>
    draw("rect", { class: name, width: 1, height: 1 }));
  let view = views[0];
  let at = { column: 0, row: 0 };
  let zoom = 1;

  $("view").append(details);
  document.querySelector("main").classList.add("live");
  about.after(controls);
  picture.after(readOut, status, make("p", { class: "note", id: "help" }, words.help));
  cells.append(...marks);
  picture.tabIndex = 0;
  picture.setAttribute("role", "application");
  picture.setAttribute("aria-describedby", "help status");

  const choose = (title, names, changed) => {
    const select = make("select", {}, ...names.map((name, value) => make("option", { value }, name)));
    select.addEventListener("change", () => changed(Number(select.value)));
    return [make("label", {}, title, select), select];
  };
  const button = (attributes, text, pressed) => {
    const node = make("button", { type: "button", ...attributes }, text);
    node.addEventListener("click", pressed);
    return node;
  };

  /* ---- Views: drawings that were packed ---- */

  const unpack = async (packed) => {
    const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const svg = await new Response(stream).arrayBuffer();
    return URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  };
  const resize = () => {
    map.setAttribute("width", view.width * zoom);
    map.setAttribute("height", view.height * zoom);
  };
  const show = async (index) => {
    view = views[index];
    for (const [i, theme] of ["light", "dark"].entries()) {
      images[i].setAttribute("href", view[theme] ? await unpack(view[theme]) : originals[i]);
      images[i].setAttribute("width", view.width);
      images[i].setAttribute("height", view.height);
    }
    map.setAttribute("viewBox", `0 0 ${view.width} ${view.height}`);
    resize();
    cells.setAttribute("transform", view.place);
    for (const rect of cells.querySelectorAll(".cell"))
      rect.firstElementChild.textContent = describe(cellAt(placeOf(rect)));
    heading.replaceChildren(view.title, " ", make("span", { class: "origin-shown" }, view.origin));
    about.textContent = view.about;
    moveTo(at);
  };

  /* ---- One cell ---- */

  const placeOf = (rect) => {
    const index = Number(rect.dataset.i);
    return { column: index % columns, row: Math.floor(index / columns) };
  };
  const cellAt = ({ column, row }) => {
    const { numbers } = view;
    view.places ||= new Map(numbers.flatMap((n, i) => i % 2 ? [] : [[n, numbers[i + 1]]]));
    return view.places.get(column + row * columns);
  };

  const drawSamples = ({ samples, range }) => {
    if (!samples) return [];
    const svg = draw("svg", { viewBox: "0 0 320 74", role: "img", preserveAspectRatio: "xMinYMid",
                              "aria-label": `${words.samples}: ${range.join(" – ")}` },
                     draw("line", { class: "base", x1: 8, x2: 312, y1: 54, y2: 54 }),
                     draw("text", { x: 8, y: 70 }, range[0]),
                     draw("text", { x: 312, y: 70, "text-anchor": "end" }, range[1]));
    samples.forEach(({ dots, median }, k) => svg.append(
      draw("path", { class: k ? "sample-hot" : "sample", d: dots }),
      draw("line", { class: "median", x1: median, x2: median, y1: 8 + 20 * k, y2: 26 + 20 * k })));
    return [make("h3", {}, words.samples), svg,
            make("p", { class: "note" }, samples.map(({ name }) => name).join(" · "))];
  };
  const listFigures = (line) => {
    const tables = new Map();
    heads.forEach((head, i) => {
      if (!head.dataset.origin || /^[–-]?$/.test(line[i])) return;
      const { origin } = head.dataset;
      if (!tables.has(origin)) tables.set(origin, make("table", { class: "figures" }));
      tables.get(origin).append(make("tr", { title: head.title },
                                     make("th", { scope: "row" }, head.textContent),
                                     make("td", { "data-metric": head.dataset.metric }, line[i])));
    });
    return [...tables].flatMap(([origin, table]) => [make("h3", {}, origin), table]);
  };
  const showCell = () => {
    const cell = cellAt(at);
    const line = lines.get(cell);
    const notes = data.cells[cell] || {};
    const multiple = line ? line[line.length - 1] : "";
    const [where, value] = line ? [describe(cell).replace(/: [^:]*$/, ""), describeValue(line)]
                                : ["", "–"];
    details.replaceChildren(
      make("h2", { id: "cell-heading" }, value), make("p", { class: "where" }, where),
      ...[notes.remark || []].flat().map((text) => make("p", { class: "remark" }, text)),
      ...[notes.reason || []].flat().map((text) => make("p", {}, text)),
      ...(notes.findings || []).map((text) => make("p", { class: "findings" }, text)),
      ...(multiple && view === views[0]
        ? [make("p", { class: "where" }, `${multiple.slice(1)} ${heads[heads.length - 1].textContent}`)]
        : []),
      ...(notes.holds ? [make("h3", {}, words.limit), make("p", {}, notes.holds)] : []),
      ...drawSamples(notes), ...(line ? listFigures(line) : []),
      ...(notes.output ? [make("pre", {}, notes.output)] : []));
    status.textContent = describe(cell);
    readOut.textContent = status.textContent;
  };
  const moveTo = ({ column, row }) => {
    at = { column: Math.min(Math.max(column, 0), columns - 1),
           row: Math.min(Math.max(row, 0), rows - 1) };
    for (const rect of marks) {
      rect.setAttribute("x", at.column);
      rect.setAttribute("y", rows - 1 - at.row);
    }
    showCell();
  };
  const goToBest = () => {
    if (view.best >= 0)
      moveTo({ column: view.best % columns, row: Math.floor(view.best / columns) });
  };
  const enlarge = (factor) => {
    zoom = factor ? Math.min(Math.max(zoom * factor, 0.25), 8) : 1;
    resize();
    marks[1].scrollIntoView({ block: "nearest", inline: "center" });
  };

  const under = (event) => event.target.closest(".cell");
  picture.addEventListener("mousemove", (event) => {
    readOut.textContent = describe(cellAt(under(event) ? placeOf(under(event)) : at));
  });
  picture.addEventListener("mouseleave", () => { readOut.textContent = status.textContent; });
  picture.addEventListener("click", (event) => {
    if (under(event)) moveTo(placeOf(under(event)));
  });
  picture.addEventListener("keydown", (event) => {
    const { column, row } = at;
    const keys = {
      ArrowLeft: () => moveTo({ column: column - 1, row }),
      ArrowRight: () => moveTo({ column: column + 1, row }),
      ArrowUp: () => moveTo({ column, row: row + 1 }),
      ArrowDown: () => moveTo({ column, row: row - 1 }),
      Home: () => moveTo({ column: 0, row }),
      End: () => moveTo({ column: columns - 1, row }),
      PageUp: () => moveTo({ column, row: rows - 1 }),
      PageDown: () => moveTo({ column, row: 0 }),
      b: goToBest, B: goToBest,
      "+": () => enlarge(1.25), "=": () => enlarge(1.25), "-": () => enlarge(0.8),
      0: () => enlarge(0),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
  });

  /* ---- Banks: one instruction at a time ---- */

  const sites = [...document.querySelectorAll("#sites > .site")];
  if (sites.length > 1) {
    const names = sites.map((site) => site.querySelector("figcaption").textContent
      .trim().split("\n")[0].replace(/\s+/g, " ").slice(0, 90));
    const showSite = (chosen) => {
      sites.forEach((site, i) => { site.hidden = i !== chosen; });
      select.value = String(chosen);
    };
    const [label, select] = choose(words.access, names, showSite);
    select.id = "site-choice";
    $("sites").before(make("div", { class: "controls" }, label));
    showSite(Math.max(sites.findIndex((site) => site.querySelector("p.excess")), 0));
    const follow = () => {
      const found = sites.findIndex((site) => `#${site.id}` === location.hash);
      if (found < 0) return;
      showSite(found);
      sites[found].scrollIntoView({ block: "center" });
    };
    window.addEventListener("hashchange", follow);
    follow();
  }

  /* ---- Dark and light ---- */

  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  document.querySelector("header").append(
    button({ id: "theme", title: words.theme, "aria-label": words.theme }, "◐", () => {
      const now = root.dataset.theme || (dark.matches ? "dark" : "light");
      root.dataset.theme = now === "dark" ? "light" : "dark";
    }));

  /* ---- Start, at the best cell ---- */

  if (views.length > 1)
    controls.append(choose(words.view, views.map(({ label }) => label), show)[0]);
  controls.append(button({ title: words.toBest }, words.best, goToBest));
  moveTo(at);
  goToBest();
})();
