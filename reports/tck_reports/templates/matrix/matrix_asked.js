"use strict";
// The matrix of the front page, in five parts that become one script: what is asked for and what fits it (this one),
// what is drawn, where keys lead, what a cell says, and what sets it going.
// Every engine has its outcomes as one text; cells become elements only where somebody looks. What is filtered stands in
// the address, so that it can be sent on and the way back works.
const data = JSON.parse(document.getElementById("data").textContent);
const grid = document.getElementById("grid");
const tip = document.getElementById("tip");
const form = document.getElementById("filters");
const shown = document.getElementById("shown");
const LOOKS = ["good", "bad", "open", "none"];
const LOOK_WORDS = { good: "passed", bad: "did not pass", open: "undecided", none: "not counted" };
const RESULTS = { c: ["conformant", "good"], n: ["nonconformant", "bad"], i: ["indeterminate", "open"] };
const ABSENT = " ";
const CHUNK = 12;
// So many cells are drawn at once, so that a browser's own search finds them; of more, those in sight.
const AT_ONCE = 4000;
const FIELDS = ["engine", "profile", "area", "outcome", "spec", "kind", "order", "columns", "only"];
const narrow = matchMedia("(max-width: 46rem)");

const requirements = data.requirements.map(([id, slug, area, level, profile, text], at) => (
  { at, id, slug, area, level, profile, text, short: id.startsWith(`${area}-`) ? id.slice(area.length + 1) : id }));
const areas = [...new Set(requirements.map((one) => one.area))];
const engines = data.engines.map(([slug, name, label, faulty, rows]) => ({
  slug, name, label, faulty, title: label ? `${name} (${label})` : name,
  rows: rows.map(([set, version, at, kit, whole, obstacle, verdicts, cells, reasons, absence, page]) => (
    { set, version, at, kit, whole, obstacle, verdicts, cells, reasons, absence, page })),
}));
// Profiles that no engine is held against together make groups of rows.
const families = [...new Set(data.families)];
const familyOf = ({ engine, row }) => (engine.faulty ? families.length : families.indexOf(data.families[row.set]));
const signs = Object.fromEntries(Object.entries(data.signs).map(([sign, [look, word, means]]) => (
  [sign, { look, word, means }])));

const made = (name, classes, text) => {
  const node = document.createElement(name);
  if (classes) node.className = classes;
  if (text !== undefined) node.textContent = text;
  return node;
};
const link = (href, text) => {
  const node = made("a", "", text);
  node.href = href;
  return node;
};
const plural = (count, one) => `${one}${count === 1 ? "" : "s"}`;
// Engines that are wrong on purpose are counted among themselves, where nothing else is shown.
const counted = (rows) => {
  const real = rows.filter(({ engine }) => !engine.faulty);
  const aside = real.length ? rows.length - real.length : 0;
  return { rows: real.length ? real : rows, faulty: !real.length && rows.length > 0, aside, note: aside ? ` (${aside} wrong on purpose not counted)` : "" };
};
const pageOfEngine = (engine) => `engines/${engine.slug}/index.html`;
const pageOfRequirement = (one) => `requirements/${one.slug}/index.html`;
const dayOf = (instant) => {
  const date = new Date(instant);
  return Number.isNaN(date.valueOf()) ? instant
    : date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
};

// What is asked for

const state = Object.fromEntries(FIELDS.map((name) => [name, ""]));
const usual = () => (narrow.matches ? "areas" : "requirements");
const choose = (name, options) => {
  const select = form.elements[name];
  for (const [value, text] of options) select.append(new Option(text, value));
};
choose("profile", data.profiles.map((one) => [one, one]));
choose("area", areas.map((one) => [one, one]));
if (data.sets.length > families.length && families.length > 1) choose("spec", families.map((one, at) => [`f${at}`, one]));
choose("spec", data.sets.map((one, at) => [String(at), one]));
// What passed in a run that was not whole is undecided.
const lookOfSign = (row, sign) => (!row.whole && sign === "P" ? "open" : signs[sign].look);
const lookOf = (row, one) => lookOfSign(row, row.cells[one.at]);
const present = { signs: new Set(), looks: new Set() };
for (const row of engines.flatMap((one) => one.rows)) for (const sign of new Set(row.cells)) {
  present.signs.add(sign);
  present.looks.add(lookOfSign(row, sign));
}
choose("outcome", [
  ...LOOKS.filter((look) => present.looks.has(look)).map((look) => [look, LOOK_WORDS[look]]),
  ...Object.entries(signs).filter(([sign]) => present.signs.has(sign) && sign !== ABSENT && sign !== "P").map(([sign, one]) => [sign, `· ${one.word}`]),
]);
for (const [name, needless] of [
  ["spec", data.sets.length < 2], ["profile", data.profiles.length < 2],
  ["kind", new Set(engines.map((one) => one.faulty)).size < 2], ["order", engines.length < 3],
]) form.elements[name].closest("label").hidden = needless;

const read = () => {
  const query = new URLSearchParams(location.search);
  for (const name of FIELDS) {
    const field = form.elements[name];
    state[name] = query.get(name) ?? "";
    if (field.type === "checkbox") field.checked = state[name] === field.value;
    else field.value = state[name] || (name === "columns" ? usual() : "");
    if (field.type === "select-one" && field.selectedIndex < 0) { field.selectedIndex = 0; state[name] = ""; }
  }
};
const write = (push) => {
  const query = new URLSearchParams();
  for (const name of FIELDS) {
    const field = form.elements[name];
    const value = field.type === "checkbox" ? (field.checked ? field.value : "") : field.value.trim();
    state[name] = name === "columns" && value === usual() ? "" : value;
    if (state[name]) query.set(name, state[name]);
  }
  const address = `${location.pathname}${query.size ? `?${query}` : ""}`;
  if (push) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
};

// What fits

const view = { rows: [], columns: [], mode: "requirements" };
const fits = (row, one, wanted) => row.cells[one.at] === wanted || lookOf(row, one) === wanted;
const rate = (row) => {
  const own = Object.values(row.verdicts);
  return own.reduce((sum, one) => sum + one[2], 0) / Math.max(own.reduce((sum, one) => sum + one[3], 0), 1);
};
const select = () => {
  const words = state.engine.toLowerCase().split(/\s+/).filter(Boolean);
  let rows = [];
  for (const engine of engines) {
    if (state.kind && engine.faulty !== Number(state.kind === "faulty")) continue;
    const row = state.spec ? engine.rows.find((one) => state.spec === String(one.set) || state.spec === `f${families.indexOf(data.families[one.set])}`) : engine.rows[0];
    if (!row) continue;
    const text = `${engine.title} ${row.version}`.toLowerCase();
    if (words.every((word) => text.includes(word))) rows.push({ engine, row });
  }
  let columns = requirements.filter((one) =>
    (!state.profile || one.profile === state.profile) && (!state.area || one.area === state.area) &&
    rows.some(({ row }) => row.cells[one.at] !== ABSENT));
  if (families.length > 1) {
    const profiles = new Set(columns.map((one) => one.profile));
    rows = rows.filter(({ row }) => data.families[row.set].split(", ").some((one) => !one || profiles.has(one)));
    columns = columns.filter((one) => rows.some(({ row }) => row.cells[one.at] !== ABSENT));
  }
  if (state.outcome) {
    rows = rows.filter(({ row }) => columns.some((one) => fits(row, one, state.outcome)));
    columns = columns.filter((one) => rows.some(({ row }) => fits(row, one, state.outcome)));
  }
  if (state.only) {
    columns = columns.filter((one) => {
      const first = rows.find(({ row }) => row.cells[one.at] !== ABSENT)?.row.cells[one.at];
      return rows.some(({ row }) => row.cells[one.at] !== ABSENT && row.cells[one.at] !== first);
    });
  }
  if (state.order === "passed") rows.sort((a, b) => a.engine.faulty - b.engine.faulty || rate(b.row) - rate(a.row));
  if (state.order === "latest") rows.sort((a, b) => a.engine.faulty - b.engine.faulty || b.row.at.localeCompare(a.row.at));
  view.rows = rows.sort((a, b) => familyOf(a) - familyOf(b));
  view.mode = form.elements.columns.value;
  view.columns = view.mode === "areas"
    ? areas.map((name) => ({ name, own: columns.filter((one) => one.area === name) })).filter((one) => one.own.length)
    : columns;
  const counts = Object.fromEntries(LOOKS.map((look) => [look, 0]));
  const told = counted(rows);
  const all = engines.filter((one) => Boolean(one.faulty) === told.faulty).length;
  for (const { row } of told.rows) for (const one of columns) {
    const look = lookOf(row, one);
    if (look in counts) counts[look] += 1;
  }
  const numbers = LOOKS.filter((look) => counts[look]).map((look) => `${counts[look]} ${LOOK_WORDS[look]}`);
  shown.textContent = [
    `${told.rows.length} of ${all} ${plural(all, "engine")}${told.faulty ? " wrong on purpose" : told.note}`,
    `${columns.length} of ${requirements.length} ${plural(requirements.length, "requirement")}`, ...numbers,
  ].join(" · ");
};
