// Drawing.

let table = null;
let printing = false;
let chunks = [];
let watcher = null;

const head = () => {
  const top = made("tr");
  const corner = made("th", "engine", "Engine");
  const said = made("th", "said", "Verdict");
  const section = made("thead");
  corner.scope = said.scope = "col";
  top.append(corner, said);
  if (view.mode === "areas") {
    for (const one of view.columns) top.append(areaHead(one.name, 1));
    section.append(top);
    return section;
  }
  corner.rowSpan = said.rowSpan = 2;
  const numbers = made("tr");
  for (let at = 0; at < view.columns.length;) {
    const name = view.columns[at].area;
    let end = at;
    while (end < view.columns.length && view.columns[end].area === name) end += 1;
    top.append(areaHead(name, end - at));
    for (; at < end; at += 1) {
      const one = view.columns[at];
      const cell = made("th", at === 0 || view.columns[at - 1].area !== name ? "number first" : "number");
      const way = link(pageOfRequirement(one), one.short);
      cell.scope = "col";
      way.setAttribute("aria-label", one.id);
      way.tabIndex = -1;
      cell.append(way);
      numbers.append(cell);
    }
  }
  section.append(top, numbers);
  return section;
};
// Widths are said beforehand: a browser that has to find them out looks at every cell.
const widths = () => {
  const witnessed = !narrow.matches && view.rows.some(({ row }) => Object.values(row.verdicts).some((one) => one[0] === "c" && one[1]));
  if (printing) return [13, 8.8, ...view.columns.map(() => (view.mode === "areas" ? 5.4 : 1.625))];
  // A verdict is cut nowhere: its sign, the space around it, and half a rem for each character.
  const longest = Math.max(...view.rows.flatMap(({ row }) => Object.entries(row.verdicts)
    .map(([profile, [, , numerator, denominator]]) => `${profile} ${numerator}/${denominator}`.length).concat(row.absence.length)), 9);
  const said = (narrow.matches ? 2.3 : 3) + 0.51 * Math.min(longest, 30) + (witnessed ? 4 : 0);
  const own = [narrow.matches ? 8.5 : 16, narrow.matches ? said : Math.max(said, 10.25)];
  if (view.mode === "areas") return own.concat(view.columns.map(() => 6.5));
  const spans = new Map();
  for (const one of view.columns) spans.set(one.area, (spans.get(one.area) ?? 0) + 1);
  let area = "";
  for (const one of view.columns) {
    // A short area still has room for its name, the first of each stands off a little.
    own.push(Math.max(1.625, (one.area.length * 0.6 + 0.9) / spans.get(one.area)) + (one.area === area ? 0 : 0.5));
    area = one.area;
  }
  return own;
};
const frame = () => {
  const own = widths();
  const columns = made("colgroup");
  for (const width of own) {
    const column = made("col");
    column.style.width = `${width}rem`;
    columns.append(column);
  }
  table.style.width = `${own.reduce((sum, one) => sum + one, 0)}rem`;
  return columns;
};
const areaHead = (name, span) => {
  const cell = made("th", view.mode === "areas" ? "area" : "area first");
  const button = made("button", "", name);
  button.type = "button";
  button.dataset.area = name;
  button.setAttribute("aria-label", state.area === name ? `${name}: show all areas` : `${name}: show this area only`);
  cell.colSpan = span;
  cell.scope = span > 1 ? "colgroup" : "col";
  cell.append(button);
  return cell;
};

const verdictsOf = (row) => {
  const cell = made("td", "said");
  if (row.absence) {
    cell.append(made("span", "verdict open", row.absence));
    return cell;
  }
  for (const [profile, [result, witnessed, numerator, denominator]] of Object.entries(row.verdicts)) {
    if (state.profile && profile !== state.profile) continue;
    const [word, look] = RESULTS[result];
    const line = made("span", `verdict ${look}`);
    line.append(made("b", "", profile), made("span", "unseen", ` ${word}`), ` ${numerator}/${denominator}`);
    if (result === "c" && witnessed) line.append(made("small", "", " witnessed"));
    cell.append(line);
  }
  if (!cell.childNodes.length) cell.append(made("span", "verdict none", "not run"));
  return cell;
};
const rowHead = ({ engine, row }) => {
  const cell = made("th", "engine");
  const way = link(pageOfEngine(engine), "");
  const name = made("bdi", "", engine.name);
  const facts = made("small");
  cell.scope = "row";
  way.tabIndex = -1;
  way.title = engine.title;
  way.append(name);
  facts.append(made("bdi", "", row.version), ` · ${dayOf(row.at)} · kit ${row.kit}`);
  if (engine.label) facts.prepend(made("b", "", engine.label), " · ");
  if (!row.whole && !row.absence) facts.prepend(made("span", "mark", "incomplete"), " · ");
  cell.append(way, facts);
  return cell;
};
const blanks = new Map();
const blank = (sign, whole, first) => {
  const key = `${sign}${whole}${first}`;
  if (!blanks.has(key)) {
    const frail = !whole && sign === "P" ? " frail" : "";
    const cell = made("td", `c ${signs[sign].look}${frail}${first ? " first" : ""}`);
    cell.tabIndex = -1;
    cell.setAttribute("role", "gridcell");
    blanks.set(key, cell);
  }
  return blanks.get(key).cloneNode(false);
};
const sumOf = (row, own) => {
  const looks = own.map((one) => signs[row.cells[one.at]].look);
  const [good, bad, open] = LOOKS.map((look) => looks.filter((one) => one === look).length);
  const counted = good + bad + open;
  const cell = made("td", "sum");
  cell.tabIndex = -1;
  cell.setAttribute("role", "gridcell");
  if (!counted) cell.append(made("span", "tally none", "–"));
  else {
    const look = bad ? "bad" : open || !row.whole ? "open" : "good";
    cell.append(made("span", `tally ${look}`, `${good}/${counted}`));
  }
  return cell;
};
const draw = (at) => {
  const { engine, row } = view.rows[at];
  const line = made("tr");
  line.setAttribute("aria-rowindex", String(at + 3));
  line.dataset.at = String(at);
  line.append(rowHead(view.rows[at]), verdictsOf(row));
  if (view.mode === "areas") {
    for (const one of view.columns) line.append(sumOf(row, one.own));
    return line;
  }
  let area = "";
  for (const one of view.columns) {
    const sign = row.cells[one.at];
    const cell = blank(sign, row.whole, one.area !== area);
    cell.setAttribute("aria-label", `${one.id} ${signs[sign].word}`);
    area = one.area;
    line.append(cell);
  }
  return line;
};

let height = 0;
const fill = (chunk) => {
  if (chunk.full) return;
  chunk.body.replaceChildren(...chunk.rows.map((at) => draw(at)));
  chunk.full = true;
};
const empty = (chunk) => {
  if (!chunk.full || chunk.body.contains(document.activeElement)) return;
  const line = made("tr");
  const cell = made("td", "away");
  cell.colSpan = view.columns.length + 2;
  cell.style.height = `${height * chunk.rows.length}px`;
  line.append(cell);
  chunk.body.replaceChildren(line);
  chunk.full = false;
};
const group = (text, specification) => {
  const body = made("tbody");
  const line = made("tr", "group");
  const cell = made("th", "", text);
  cell.colSpan = view.columns.length + 2;
  cell.scope = "rowgroup";
  if (specification) {
    const button = made("button", "", "show these alone");
    button.type = "button";
    button.addEventListener("click", () => {
      form.elements.spec.value = specification;
      write(true);
      redraw();
      grid.focus();
    });
    cell.append(" · ", button);
  }
  line.append(cell);
  body.append(line);
  return body;
};

// One stop for the tabulator; from there arrows go everywhere.
const rove = () => {
  const first = at(0, 0);
  if (first) first.tabIndex = 0;
};
const redraw = () => {
  hide();
  select();
  watcher?.disconnect();
  const left = grid.scrollLeft;
  table = made("table");
  table.setAttribute("role", "grid");
  table.setAttribute("aria-labelledby", "matrix");
  table.setAttribute("aria-readonly", "true");
  table.setAttribute("aria-rowcount", String(view.rows.length + 2));
  table.className = "grid";
  chunks = [];
  if (!view.rows.length || !view.columns.length) {
    const words = made("p", "empty soft", "Nothing fits what is asked for. ");
    const button = made("button", "", "Show everything");
    button.type = "button";
    button.addEventListener("click", () => form.reset());
    words.append(button);
    grid.replaceChildren(words);
    return;
  }
  table.append(frame(), head());
  const begins = view.rows.map((one, at) => at).filter((at) => !at || familyOf(view.rows[at]) !== familyOf(view.rows[at - 1]));
  for (const [place, from] of begins.entries()) {
    const to = begins[place + 1] ?? view.rows.length;
    const own = view.rows[from];
    if (own.engine.faulty) table.append(group("Wrong on purpose: the kit has to find these out"));
    else if (families.length > 1) {
      const alone = data.sets.length > families.length ? `f${familyOf(own)}` : String(own.row.set);
      table.append(group(`Held against ${data.families[own.row.set]}`, state.spec ? "" : alone));
    }
    for (let at = from; at < to; at += CHUNK) {
      const rows = Array.from({ length: Math.min(CHUNK, to - at) }, (_, more) => at + more);
      const chunk = { rows, body: made("tbody"), full: false };
      chunks.push(chunk);
      table.append(chunk.body);
    }
  }
  fill(chunks[0]);
  grid.replaceChildren(table);
  grid.scrollLeft = left;
  // All rows are as high as the first, so what is not drawn keeps its room.
  height = chunks[0].body.rows[0].getBoundingClientRect().height;
  if (view.rows.length * (view.columns.length + 2) <= AT_ONCE) {
    chunks.forEach(fill);
    rove();
    return;
  }
  for (const chunk of chunks.slice(1)) { chunk.full = true; empty(chunk); }
  const byBody = new Map(chunks.map((chunk) => [chunk.body, chunk]));
  watcher = new IntersectionObserver((seen) => {
    for (const one of seen) (one.isIntersecting ? fill : empty)(byBody.get(one.target));
  }, { root: grid, rootMargin: "300px 0px" });
  for (const chunk of chunks) watcher.observe(chunk.body);
  rove();
};
