/* SPDX-License-Identifier: MIT
 * Makes a page's map one to use: hover, keys, metric, axes, slices, zoom. All
 * text that came from a file is set as text, never as markup. */
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const holder = document.getElementById("data");
  if (!holder) return;
  const data = JSON.parse(holder.textContent);
  const words = data.words;
  const $ = (id) => document.getElementById(id);

  const make = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {}))
      node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const draw = (tag, attributes, text) => {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes || {}))
      node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };

  /* ---- Numbers, as the program writes them ---- */

  const localize = (text) => text.replace(".", data.point);
  const group = (value) => {
    const text = value.toFixed(0);
    if (Math.abs(value) < 10000 || !data.separator) return text;
    return text.replace(/\B(?=(\d{3})+$)/g, data.separator);
  };
  const prefixOf = (scale, value) => {
    let i = scale.length - 1;
    while (i > 0 && Math.abs(value) < 0.99995 * scale[i][0]) i--;
    if (value === 0)
      for (i = 0; scale[i][0] < 1 && i + 1 < scale.length;) i++;
    return scale[i];
  };
  const short = (value) => {
    const magnitude = value !== 0 ? Math.floor(Math.log10(Math.abs(value))) : 0;
    let decimals = Math.min(Math.max(3 - magnitude, 0), 12);
    while (decimals > 0) {
      const unit = 10 ** (decimals - 1);
      if (Math.abs(Math.round(value * unit) / unit - value) >
          Math.abs(value) * 0.5e-4) break;
      decimals--;
    }
    return localize(fixed(value, decimals));
  };
  /* Halves go to the even digit, as C has it. */
  const fixed = (value, decimals) => {
    const last = value * 10 ** decimals;
    return Math.abs(last % 1) === 0.5 && Math.floor(last) % 2 === 0
      ? (Math.floor(last) / 10 ** decimals).toFixed(decimals)
      : value.toFixed(decimals);
  };
  const withUnit = (number, symbol) => symbol ? `${number} ${symbol}` : number;
  const scaled = (value, unit, [factor, symbol], more) => {
    const number = value / factor;
    const size = Math.abs(number);
    const decimals = number === 0 || (unit === "B" && Number.isInteger(number))
      ? 0 : size < 9.995 ? 2 : size < 9999.5 ? 1 : 0;
    return withUnit(localize(fixed(number, decimals + more)), symbol);
  };
  const quantity = (value, unit, more = 0) => {
    if (value === null) return "–";
    if (unit === "limit")
      return data.limits[value] ? data.limits[value][0] : String(value);
    const scale = data.units[unit];
    if (!scale)
      return withUnit(Number.isInteger(value) ? group(value) : short(value), unit);
    return scaled(value, unit, prefixOf(scale, value), more);
  };
  /* With as many digits as tell it apart from what stands beside it. */
  const quantityAmong = (value, unit, others) => {
    const scale = data.units[unit];
    if (!scale || value === null) return quantity(value, unit);
    const prefix = prefixOf(scale, value);
    const near = others.filter(
      (other) => other !== null && prefixOf(scale, other) === prefix);
    const needed = (a, b) => {
      for (let more = 0; more <= 4; more++)
        if (scaled(a, unit, prefix, more) !== scaled(b, unit, prefix, more))
          return more;
      return 0;
    };
    let more = 0;
    near.forEach((other, i) => {
      more = Math.max(more, needed(other, value),
                      ...near.slice(0, i).map((b) => needed(other, b)));
    });
    return scaled(value, unit, prefix, more);
  };
  const rounded = (value, digits) => {
    if (value === 0) return value;
    const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - digits + 1);
    return Math.round(value / step) * step;
  };
  /* As the program does it: ×1.4 with two digits. */
  const multiple = (value, digits) => {
    const number = rounded(value, digits);
    const magnitude = number === 0 ? 0
      : Math.floor(Math.log10(Math.abs(number)) + 1e-9);
    return `×${localize(number.toFixed(Math.max(digits - 1 - magnitude, 0)))}`;
  };
  /* What a model says has few digits. */
  const rough = (value, metric) => {
    const scale = data.units[metric.unit];
    const number = rounded(value, metric.digits);
    if (!scale) return quantity(number, metric.unit);
    const [factor, symbol] = prefixOf(scale, number);
    return withUnit(short(number / factor), symbol);
  };
  /* Without the unit, which is told beside the map. */
  const bare = (value, unit, most) => {
    const scale = data.units[unit];
    return short(scale ? value / prefixOf(scale, most)[0] : value);
  };
  const unitOf = (unit, most) =>
    data.units[unit] ? prefixOf(data.units[unit], most)[1] : unit;

  /* ---- What is seen ---- */

  const axes = data.axes;
  const strides = new Array(axes.length).fill(1);
  for (let i = axes.length - 2; i >= 0; i--)
    strides[i] = strides[i + 1] * axes[i + 1].values.length;
  const metricOf = (id) => data.metrics.find((metric) => metric.id === id);
  const valueOf = (metric, cell) =>
    metric.values ? metric.values[cell] : metric.all;
  /* time_low, time and time_high are of one quantity. */
  const familyOf = ({ id, unit }) => {
    const stem = (text) => text.replace(/_(low|high|min|mean)$/, "");
    return data.metrics.filter((m) => m.unit === unit && stem(m.id) === stem(id));
  };
  const view = {
    x: data.view.x,
    y: data.view.y,
    metric: metricOf(data.view.metric) || data.metrics[0],
    logarithmic: data.view.logarithmic,
    relative: data.view.relative,
    positions: data.view.positions.slice(),
    column: 0,
    row: 0,
    zoom: null,
  };
  const lengthOf = (axis) => axis < 0 ? 1 : axes[axis].values.length;
  const cellAt = (column, row) => {
    let cell = 0;
    for (let i = 0; i < axes.length; i++)
      cell += strides[i] *
        (i === view.x ? column : i === view.y ? row : view.positions[i]);
    return cell;
  };
  const whole = () => ({
    left: 0, bottom: 0, columns: lengthOf(view.x), rows: lengthOf(view.y),
  });
  const describe = (column, row) => {
    const parts = [];
    if (view.x >= 0)
      parts.push(`${axes[view.x].name} = ${axes[view.x].values[column]}`);
    if (view.y >= 0)
      parts.push(`${axes[view.y].name} = ${axes[view.y].values[row]}`);
    return parts.join(", ");
  };
  const describeValue = (cell) => {
    const value = valueOf(view.metric, cell);
    if (value !== null && data.states[cell] === 1)
      return view.metric.digits
        ? words.predicted.replace("%s", figure(value)) : figure(value);
    return data.states[cell] === 1 ? words.noValue
                                   : data.stateNames[data.states[cell]];
  };

  const describeBoth = ({ column, row }) =>
    `${describe(column, row)}: ${describeValue(cellAt(column, row))}`;

  const isRelative = () => view.relative && summary.best !== null &&
    valueOf(view.metric, cellAt(summary.best.column, summary.best.row)) > 0;
  /* As the map is told to write it. */
  const figure = (value) => {
    const { metric } = view;
    if (isRelative())
      return multiple(
        value / valueOf(metric, cellAt(summary.best.column, summary.best.row)),
        metric.digits || 3);
    return metric.digits ? rough(value, metric) : quantity(value, metric.unit);
  };
  const figureBare = (value) => {
    if (isRelative()) return figure(value);
    return bare(view.metric.digits ? rounded(value, view.metric.digits) : value,
                view.metric.unit, scaleOf());
  };

  /* The least, the greatest and the best of the slice. */
  const summarize = () => {
    const all = whole();
    const summary = { low: Infinity, high: -Infinity, best: null };
    let best = null;
    for (let row = 0; row < all.rows; row++)
      for (let column = 0; column < all.columns; column++) {
        const cell = cellAt(column, row);
        const value = valueOf(view.metric, cell);
        if (value === null || data.states[cell] !== 1) continue;
        summary.low = Math.min(summary.low, value);
        summary.high = Math.max(summary.high, value);
        if (view.metric.better !== 0 &&
            (best === null || (value - best) * view.metric.better > 0)) {
          best = value;
          summary.best = { column, row };
        }
      }
    return summary;
  };

  /* ---- Colours ---- */

  /* The good end is bright. */
  const turned = (position) => view.metric.better < 0 ? 1 - position : position;
  const place = (value, summary) => {
    if (summary.high === summary.low) return 0.5;
    if (view.logarithmic && summary.low > 0)
      return turned(Math.log(value / summary.low) /
                    Math.log(summary.high / summary.low));
    return turned((value - summary.low) / (summary.high - summary.low));
  };
  const rampAt = (position) => {
    const i = Math.min(255, Math.max(0, Math.round(position * 255)));
    return `#${data.ramp.substr(6 * i, 6)}`;
  };
  const colourOf = (value, summary) => view.metric.unit === "limit"
    ? `#${(data.limits[value] || ["", "808080"])[1]}`
    : rampAt(place(value, summary));
  const inkOn = (colour) => {
    const [r, g, b] = [1, 3, 5].map((at) => {
      const c = parseInt(colour.substr(at, 2), 16) / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.26 ? "#000" : "#fff";
  };

  /* ---- The page around the map ---- */

  const section = $("map");
  const picture = $("picture");
  const heading = $("map-heading");
  const about = section.querySelector(".note");
  const range = section.querySelector(".range");
  if (range) range.remove();
  const controls = make("div", { class: "controls" });
  const readOut = make("p", { class: "read-out", "aria-hidden": "true" });
  const status = make("p", { class: "spoken", role: "status", id: "status" });
  const help = make("p", { class: "note", id: "help" }, words.help);
  const legend = make("div", { class: "legend" });
  const details = make("section", {
    class: "card", id: "cell", tabindex: "0", "aria-labelledby": "cell-heading",
  });
  $("view").append(details);
  document.querySelector("main").classList.add("live");
  about.after(controls);
  picture.after(legend, readOut, status, help);
  picture.tabIndex = 0;
  picture.setAttribute("role", "application");
  picture.setAttribute("aria-describedby", "help status");

  const choice = (title, options, chosen, changed) => {
    const select = make("select");
    for (const [value, text] of options) {
      const option = make("option", { value }, text);
      option.selected = String(value) === String(chosen);
      select.append(option);
    }
    select.addEventListener("change", () => changed(select.value));
    controls.append(make("label", {}, title, select));
    return select;
  };
  const button = (title, text, pressed) => {
    const node = make("button", { type: "button", title, "aria-label": title }, text);
    node.addEventListener("click", pressed);
    return node;
  };

  const showControls = () => {
    const running = axes.map((axis, i) => [i, axis.name])
      .filter(([i]) => axes[i].values.length > 1 || i === view.x || i === view.y);
    controls.replaceChildren();
    choice(words.metric,
           data.metrics.map((m) => [m.id, `${m.title} (${m.origin})`]),
           view.metric.id, (id) => {
             view.metric = metricOf(id);
             const s = summarize();
             view.logarithmic = s.low > 0 && s.high / s.low >= 20;
             view.relative = Boolean(view.metric.digits);
             show(true);
           });
    if (running.length > 1) {
      choice(words.across, running, view.x, (value) => {
        if (Number(value) === view.y) view.y = view.x;
        view.x = Number(value);
        turn();
      });
      choice(words.upwards, [[-1, words.none], ...running], view.y, (value) => {
        if (Number(value) === view.x) {
          if (view.y < 0) return showControls();
          view.x = view.y;
        }
        view.y = Number(value);
        turn();
      });
    }
    axes.forEach((axis, i) => {
      if (i === view.x || i === view.y || axis.values.length < 2) return;
      choice(axis.name, axis.values.map((value, k) => [k, value]),
             view.positions[i], (value) => {
               view.positions[i] = Number(value);
               show(false);
             });
    });
    if (view.metric.unit !== "limit")
      choice(words.scale, [[0, words.linear], [1, words.logarithmic]],
             Number(view.logarithmic), (value) => {
               view.logarithmic = value === "1";
               show(false);
             });
    if (view.metric.better !== 0)
      choice(words.multiples, [[0, words.asValues], [1, words.asMultiples]],
             Number(view.relative), (value) => {
               view.relative = value === "1";
               show(false);
             });
    const box = make("div", { class: "group", role: "group" });
    box.append(button(words.zoomIn, "+", () => zoom(0.5)),
               button(words.zoomOut, "−", () => zoom(2)),
               button(words.zoomAll, "⤢", () => zoom(0)),
               button(words.toBest, words.best, goToBest));
    controls.append(box);
  };

  /* ---- The map ---- */

  const LABEL = 76;
  const FOOT = 44;
  let summary = null;
  let geometry = null;
  let cursor = [];

  const drawMap = () => {
    const seen = view.zoom || whole();
    const room = Math.max(picture.clientWidth - LABEL - 12, 180);
    const width = Math.min(Math.max(room / seen.columns, 3), 110);
    const height = Math.min(Math.max(Math.min(620, room) / seen.rows, 3), 40);
    const total = LABEL + width * seen.columns + 8;
    const tall = FOOT + height * seen.rows + 8;
    const svg = draw("svg", {
      class: "map", viewBox: `0 0 ${total} ${tall}`, width: total, height: tall,
      "aria-hidden": "true",
    });
    geometry = { seen, width, height, numbers: true };
    geometry.numbers = height >= 14 && fits(seen, width);
    for (let j = 0; j < seen.rows; j++) {
      const row = seen.bottom + j;
      const y = 4 + height * (seen.rows - 1 - j);
      for (let i = 0; i < seen.columns; i++)
        drawCell(svg, seen.left + i, row, LABEL + width * i, y, width, height);
      if (view.y >= 0 && j % Math.ceil(18 / height) === 0)
        svg.append(draw("text", { class: "y", x: LABEL - 8, y: y + height / 2 },
                        axes[view.y].values[row]));
    }
    let widest = 1;
    for (let i = 0; i < seen.columns && view.x >= 0; i++)
      widest = Math.max(widest, axes[view.x].values[seen.left + i].length);
    const step = Math.ceil((7 * widest + 10) / width);
    for (let i = 0; i < seen.columns && view.x >= 0; i += step)
      svg.append(draw("text", {
        class: "x", x: LABEL + width * (i + 0.5), y: tall - FOOT + 12,
      }, axes[view.x].values[seen.left + i]));
    svg.append(draw("text", {
      class: "axis", x: LABEL + width * seen.columns / 2, y: tall - 8,
    }, [view.y >= 0 ? `${axes[view.y].name} ↑` : "",
        view.x >= 0 ? `${axes[view.x].name} →` : ""].filter(Boolean).join(" · ")));
    cursor = ["cursor-back", "cursor"].map((name) => draw("rect", { class: name, rx: 2 }));
    svg.append(...cursor);
    picture.replaceChildren(svg);
    drawCursor();
  };

  /* Whose unit the numbers have: where they span decades, the least is small. */
  const scaleOf = () => view.logarithmic ? summary.low : summary.high;

  /* All numbers, or none. */
  const fits = (seen, width) => {
    if (view.metric.unit === "limit" || width < 20) return false;
    for (let row = 0; row < seen.rows; row++)
      for (let column = 0; column < seen.columns; column++) {
        const value = valueOf(view.metric, cellAt(seen.left + column, seen.bottom + row));
        if (value !== null &&
            7 * figureBare(value).length + 4 > width)
          return false;
      }
    return true;
  };

  const drawCell = (svg, column, row, x, y, width, height) => {
    const cell = cellAt(column, row);
    const state = data.states[cell];
    const value = valueOf(view.metric, cell);
    const rect = draw("rect", { class: "cell", x, y, width, height });
    svg.append(rect);
    if (value === null || state !== 1) {
      rect.classList.add(state === 1 ? "state-empty" : `state-${state}`);
      if (state !== 0 && width > 14 && height > 12)
        svg.append(draw("text", { class: "mark", x: x + width / 2, y: y + height / 2 },
                        ["", "·", "≠", "!", "✕", "⧖", "⊘"][state] || "?"));
      return;
    }
    const colour = colourOf(value, summary);
    const { best } = summary;
    rect.setAttribute("fill", colour);
    if (geometry.numbers)
      svg.append(draw("text", {
        class: "value", x: x + width / 2, y: y + height / 2, fill: inkOn(colour),
      }, figureBare(value)));
    if (best && best.column === column && best.row === row)
      svg.append(draw("rect", {
        class: "cell best", x: x + 1, y: y + 1, width: Math.max(width - 2, 1),
        height: Math.max(height - 2, 1), fill: "none",
      }));
  };

  const drawCursor = () => {
    const { seen, width, height } = geometry;
    const i = view.column - seen.left;
    const j = view.row - seen.bottom;
    const hidden = i < 0 || j < 0 || i >= seen.columns || j >= seen.rows;
    for (const rect of cursor) {
      rect.setAttribute("x", LABEL + width * i);
      rect.setAttribute("y", 4 + height * (seen.rows - 1 - j));
      rect.setAttribute("width", width);
      rect.setAttribute("height", height);
      rect.setAttribute("visibility", hidden ? "hidden" : "visible");
    }
  };

  const drawLegend = () => {
    legend.replaceChildren();
    if (view.metric.unit === "limit") {
      const seen = new Set();
      const all = whole();
      for (let row = 0; row < all.rows; row++)
        for (let column = 0; column < all.columns; column++)
          seen.add(valueOf(view.metric, cellAt(column, row)));
      for (const limit of seen) {
        if (limit === null || !data.limits[limit]) continue;
        const box = draw("svg", { width: 14, height: 14 });
        box.append(draw("rect", { width: 14, height: 14, rx: 3,
                                  fill: `#${data.limits[limit][1]}` }));
        legend.append(make("span", { class: "key" }, box, data.limits[limit][0]));
      }
    } else if (summary.low <= summary.high) {
      const tall = view.metric.digits ? 16 : 1;
      const bar = make("canvas", { width: 256, height: tall });
      const context = bar.getContext("2d");
      for (let i = 0; i < 256; i++) {
        context.fillStyle = rampAt(turned(i / 255));
        context.fillRect(i, 0, 1, tall);
      }
      /* What is predicted is hatched. */
      if (view.metric.digits) {
        context.strokeStyle = getComputedStyle(document.body).backgroundColor;
        context.lineWidth = 2;
        for (let i = -tall; i < 256; i += 8) {
          context.moveTo(i, tall);
          context.lineTo(i + tall, 0);
        }
        context.stroke();
      }
      legend.append(make("span", {}, figure(summary.low)), bar,
                    make("span", {}, figure(summary.high)),
                    make("span", { class: "note" },
                         view.logarithmic ? words.logarithmic : words.linear));
    }
  };

  /* ---- One cell ---- */

  const SAMPLES = 320;

  const drawSamples = (cell) => {
    const lists = ["cold", "hot"].filter((mode) => cell[mode]);
    if (lists.length === 0) return [];
    const all = lists.flatMap((mode) => cell[mode].ns.filter((ns) => ns !== null));
    const low = Math.min(...all);
    const high = Math.max(...all);
    const at = (ns) => 8 + (SAMPLES - 16) *
      (high > low ? (ns - low) / (high - low) : 0.5);
    const svg = draw("svg", { viewBox: `0 0 ${SAMPLES} 74`, role: "img",
                              preserveAspectRatio: "xMinYMid",
                              "aria-label": `${words.samples}: ${quantity(low, "ns")} – ${quantity(high, "ns")}` });
    svg.append(draw("line", { class: "base", x1: 8, x2: SAMPLES - 8, y1: 54, y2: 54 }));
    lists.forEach((mode, k) => {
      const sorted = cell[mode].ns.filter((ns) => ns !== null).sort((a, b) => a - b);
      cell[mode].ns.forEach((ns, i) => {
        if (ns !== null)
          svg.append(draw("circle", { class: mode === "hot" ? "sample-hot" : "sample",
                                      cx: at(ns), cy: 12 + k * 20 + (i % 5) * 2.4, r: 2.4 }));
      });
      const median = at(sorted[Math.floor(sorted.length / 2)]);
      svg.append(draw("line", { class: "median", x1: median, x2: median,
                                y1: 8 + k * 20, y2: 26 + k * 20 }));
    });
    svg.append(draw("text", { x: 8, y: 70 }, quantity(low, "ns")));
    const end = draw("text", { x: SAMPLES - 8, y: 70, "text-anchor": "end" },
                     quantity(high, "ns"));
    svg.append(end);
    const note = lists.map((mode) => cell[mode].step > 1
      ? `${words[mode]} (${words.thinned.replace("%s", cell[mode].step)})`
      : words[mode]).join(" · ");
    return [make("h3", {}, words.samples), svg, make("p", { class: "note" }, note)];
  };

  const showCell = () => {
    const index = cellAt(view.column, view.row);
    const cell = data.cells[index];
    const value = valueOf(view.metric, index);
    const head = make("h2", { id: "cell-heading" }, describeValue(index));
    const parts = [head, make("p", { class: "where" }, describe(view.column, view.row))];
    if (cell.reason) parts.push(make("p", {}, cell.reason));
    for (const finding of cell.findings || [])
      parts.push(make("p", { class: "findings" }, finding));
    if (summary.best && value !== null && view.metric.unit !== "limit") {
      const best = valueOf(view.metric,
                           cellAt(summary.best.column, summary.best.row));
      const ratio = view.metric.better < 0 ? value / best : best / value;
      if (Number.isFinite(ratio))
        parts.push(make("p", { class: "where" }, value === best
          ? words.best
          : `${view.metric.digits ? multiple(ratio, view.metric.digits).slice(1)
                                  : localize(ratio.toFixed(2))} ${words.relative}`));
    }
    if (cell.holds)
      parts.push(make("h3", {}, words.limitTitle), make("p", {}, cell.holds));
    parts.push(...drawSamples(cell));
    const origins = new Map();
    for (const metric of data.metrics) {
      const number = valueOf(metric, index);
      if (number === null) continue;
      if (!origins.has(metric.origin)) origins.set(metric.origin, []);
      origins.get(metric.origin).push([metric, number]);
    }
    for (const [origin, rows] of origins) {
      const table = make("table", { class: "figures" });
      for (const [metric, number] of rows)
        table.append(make("tr", { title: metric.formula
                                    ? `${metric.about}: ${metric.formula}` : metric.about },
                          make("th", { scope: "row" }, metric.title),
                          make("td", { "data-metric": metric.id },
                               metric.digits ? rough(number, metric)
                               : quantityAmong(number, metric.unit,
                                               familyOf(metric).map((m) => valueOf(m, index))))));
      parts.push(make("h3", {}, origin), table);
    }
    if (cell.output) parts.push(make("pre", {}, cell.output));
    details.replaceChildren(...parts);
    status.textContent = describeBoth(view);
    readOut.textContent = status.textContent;
  };

  /* ---- Moving ---- */

  const show = (again) => {
    summary = summarize();
    heading.replaceChildren(view.metric.title);
    if (isRelative()) heading.append(` (${words.relative})`);
    else if (view.metric.unit && summary.low <= summary.high && view.metric.unit !== "limit")
      heading.append(` (${unitOf(view.metric.unit, scaleOf())})`);
    heading.append(" ", make("span", { class: "origin-shown" }, view.metric.origin));
    about.textContent = view.metric.about;
    picture.setAttribute("aria-label", `${words.map}: ${view.metric.title}`);
    if (again) showControls();
    drawMap();
    drawLegend();
    showCell();
  };
  const turn = () => {
    view.zoom = null;
    view.column = view.x < 0 ? 0 : Math.min(view.positions[view.x], lengthOf(view.x) - 1);
    view.row = view.y < 0 ? 0 : Math.min(view.positions[view.y], lengthOf(view.y) - 1);
    show(true);
  };
  const reveal = () => {
    const zoomed = view.zoom;
    if (!zoomed) return false;
    const left = Math.min(Math.max(zoomed.left, view.column - zoomed.columns + 1), view.column);
    const bottom = Math.min(Math.max(zoomed.bottom, view.row - zoomed.rows + 1), view.row);
    const moved = left !== zoomed.left || bottom !== zoomed.bottom;
    Object.assign(zoomed, { left, bottom });
    return moved;
  };
  const moveTo = (column, row) => {
    view.column = Math.min(Math.max(column, 0), lengthOf(view.x) - 1);
    view.row = Math.min(Math.max(row, 0), lengthOf(view.y) - 1);
    if (view.x >= 0) view.positions[view.x] = view.column;
    if (view.y >= 0) view.positions[view.y] = view.row;
    if (reveal()) drawMap();
    else drawCursor();
    showCell();
  };
  const goToBest = () => {
    if (summary.best) moveTo(summary.best.column, summary.best.row);
  };
  const zoom = (factor) => {
    const all = whole();
    const seen = view.zoom || all;
    const columns = Math.min(all.columns, Math.max(1, Math.round(seen.columns * factor)));
    const rows = Math.min(all.rows, Math.max(1, Math.round(seen.rows * factor)));
    if (factor === 0 || (columns === all.columns && rows === all.rows))
      view.zoom = null;
    else
      view.zoom = {
        columns, rows,
        left: Math.min(Math.max(view.column - (columns >> 1), 0), all.columns - columns),
        bottom: Math.min(Math.max(view.row - (rows >> 1), 0), all.rows - rows),
      };
    drawMap();
  };

  const pick = (event) => {
    const svg = picture.firstElementChild;
    const box = svg.getBoundingClientRect();
    const { seen, width, height } = geometry;
    const column = Math.floor((event.clientX - box.left - LABEL) / width);
    const row = seen.rows - 1 - Math.floor((event.clientY - box.top - 4) / height);
    if (column < 0 || row < 0 || column >= seen.columns || row >= seen.rows) return null;
    return { column: seen.left + column, row: seen.bottom + row };
  };
  picture.addEventListener("mousemove", (event) => {
    const at = pick(event);
    readOut.textContent = describeBoth(at || view);
  });
  picture.addEventListener("mouseleave", () => {
    readOut.textContent = describeBoth(view);
  });
  picture.addEventListener("click", (event) => {
    const at = pick(event);
    if (at) moveTo(at.column, at.row);
  });
  picture.addEventListener("dblclick", () => zoom(0.5));
  picture.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 0.5 : 2);
  }, { passive: false });
  picture.addEventListener("keydown", (event) => {
    const steps = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (steps[event.key])
      moveTo(view.column + steps[event.key][0], view.row + steps[event.key][1]);
    else if (event.key === "Home") moveTo(0, view.row);
    else if (event.key === "End") moveTo(lengthOf(view.x) - 1, view.row);
    else if (event.key === "PageUp") moveTo(view.column, lengthOf(view.y) - 1);
    else if (event.key === "PageDown") moveTo(view.column, 0);
    else if (event.key === "b" || event.key === "B") goToBest();
    else if (event.key === "+" || event.key === "=") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === "0") zoom(0);
    else return;
    event.preventDefault();
  });

  /* ---- Banks: one instruction at a time ---- */

  const sites = [...document.querySelectorAll("#sites > .site")];
  if (sites.length > 1) {
    const select = make("select", { id: "site-choice" });
    sites.forEach((site, i) => {
      const line = site.querySelector("figcaption").textContent.trim().split("\n")[0];
      select.append(make("option", { value: String(i) }, line.replace(/\s+/g, " ").slice(0, 90)));
    });
    const choose = (chosen) => {
      sites.forEach((site, i) => { site.hidden = i !== chosen; });
      select.value = String(chosen);
    };
    select.addEventListener("change", () => choose(Number(select.value)));
    const bar = make("div", { class: "controls" }, make("label", {}, words.access, select));
    $("sites").before(bar);
    const worst = sites.findIndex((site) => site.querySelector("p.excess"));
    choose(Math.max(worst, 0));
    const follow = () => {
      const at = sites.findIndex((site) => `#${site.id}` === location.hash);
      if (at < 0) return;
      choose(at);
      sites[at].scrollIntoView({ block: "center" });
    };
    window.addEventListener("hashchange", follow);
    follow();
  }

  /* ---- Dark and light ---- */

  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const theme = make("button", { type: "button", id: "theme", title: words.theme,
                                 "aria-label": words.theme }, "◐");
  theme.addEventListener("click", () => {
    const now = root.dataset.theme || (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });
  document.querySelector("header").append(theme);

  /* ---- Start, at the best cell ---- */

  summary = summarize();
  if (summary.best) {
    view.column = summary.best.column;
    view.row = summary.best.row;
  }
  show(true);
  let wide = picture.clientWidth;
  new ResizeObserver(() => {
    if (picture.clientWidth === wide) return;
    wide = picture.clientWidth;
    drawMap();
  }).observe(section);
})();
