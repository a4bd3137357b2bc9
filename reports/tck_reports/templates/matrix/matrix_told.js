// What a cell says, to pointer, finger and keys.

let pinned = false;
let about = null;
let later = 0;
const hide = () => {
  clearTimeout(later);
  if (about) about.removeAttribute("aria-describedby");
  grid.querySelector(".here")?.classList.remove("here");
  tip.hidden = true;
  pinned = false;
  about = null;
};
const reasonOf = (row, requirement) => {
  for (let at = 0; at < row.reasons.length; at += 2) if (row.reasons[at] === requirement) return data.texts[row.reasons[at + 1]];
  return "";
};
const headOf = (text, badge) => {
  const line = made("p", "head");
  line.append(made("strong", "", text));
  if (badge) line.append(badge);
  return line;
};
const ways = (...links) => {
  const line = made("p", "ways");
  line.append(...links);
  return line;
};
const engineLine = ({ engine, row }) => {
  const line = made("p", "soft");
  line.append(made("bdi", "", engine.title), " ", made("bdi", "", row.version));
  return line;
};
const unwhole = (row) => made("p", "mark", row.absence ? `${row.absence}, so it was never run`
  : `nothing follows from this run: ${data.texts[row.obstacle] ?? ""}`);
const aboutCell = (one, entry) => {
  const { engine, row } = entry;
  const sign = row.cells[one.at];
  const reason = reasonOf(row, one.at);
  const { look, word, means } = signs[sign];
  const parts = [headOf(one.id, made("span", `badge ${look}${!row.whole && sign === "P" ? " frail" : ""}`, word)), engineLine(entry)];
  if (reason) parts.push(made("p", "reason", reason));
  else if (sign !== "P") parts.push(made("p", "reason", means));
  if (!row.whole) parts.push(unwhole(row));
  const onwards = [link(`${pageOfEngine(engine)}#${one.id}`, "This engine"), link(pageOfRequirement(one), "This requirement")];
  if (look === "bad" && row.page) onwards.push(link(`${row.page}#${one.id}`, "What was witnessed"));
  parts.push(made("p", "", `${one.text} `), ways(...onwards));
  return { look, parts };
};
const aboutVerdict = (entry) => {
  const parts = [headOf("Verdict"), engineLine(entry)];
  for (const [profile, [result, witnessed, numerator, denominator, why]] of Object.entries(entry.row.verdicts)) {
    const basis = result !== "c" ? data.texts[why] ?? "" : witnessed ? "witnessed throughout by the kit itself" : "partly on the engine's own word";
    parts.push(made("p", "", `${profile}: ${RESULTS[result][0]}, ${numerator} of ${denominator} passed; ${basis}`));
  }
  if (!entry.row.whole) parts.push(unwhole(entry.row));
  parts.push(ways(link(pageOfEngine(entry.engine), "This engine")));
  return { look: "", parts };
};
const aboutArea = (area, entry) => {
  const parts = [headOf(area.name), engineLine(entry)];
  const missed = area.own.filter((one) => ["bad", "open"].includes(signs[entry.row.cells[one.at]].look));
  parts.push(made("p", "", missed.length ? "Not passed:" : "All of them that count passed."));
  const names = made("p", "ways");
  for (const one of missed.slice(0, 24)) names.append(link(`${pageOfEngine(entry.engine)}#${one.id}`, `${one.id} ${signs[entry.row.cells[one.at]].word}`));
  if (missed.length) parts.push(names);
  if (!entry.row.whole) parts.push(unwhole(entry.row));
  parts.push(ways(link(pageOfEngine(entry.engine), "This engine")));
  return { look: "", parts };
};
const aboutRequirement = (one) => {
  const counts = Object.fromEntries(LOOKS.map((look) => [look, 0]));
  const told = counted(view.rows);
  for (const { row } of told.rows) {
    const look = lookOf(row, one);
    if (look in counts) counts[look] += 1;
  }
  const line = made("p");
  for (const look of LOOKS) if (counts[look]) line.append(made("span", `word ${look}`, `${counts[look]} ${LOOK_WORDS[look]}`), " ");
  if (told.note) line.append(made("span", "soft", told.note.trim()));
  return { look: "", parts: [headOf(one.id, made("span", "soft", `${one.level} · ${one.profile}`)), made("p", "", one.text), line] };
};
const tell = (here, pin) => {
  const { row, column, cell } = here;
  const column_ = view.columns[column - 2];
  const entry = view.rows[row];
  const areasShown = view.mode === "areas";
  const said = row < 0 ? (column_ && !areasShown ? aboutRequirement(column_) : null)
    : column === 1 ? aboutVerdict(entry)
    : column < 1 || !column_ ? null
    : areasShown ? aboutArea(column_, entry) : aboutCell(column_, entry);
  hide();
  if (!said) return;
  tip.className = `tip ${said.look}`;
  tip.replaceChildren(...said.parts);
  tip.hidden = false;
  pinned = pin;
  about = cell.querySelector("a") ?? cell;
  about.setAttribute("aria-describedby", "tip");
  if (!areasShown && column >= 2) table.tHead.rows[1].cells[column - 2]?.classList.add("here");
  const box = cell.getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  const left = Math.min(Math.max(box.left + box.width / 2 - own.width / 2, 8), innerWidth - own.width - 8);
  const below = box.bottom + 6;
  const top = below + own.height <= innerHeight - 4 ? below : box.top - own.height - 6;
  tip.style.left = `${Math.max(left, 8)}px`;
  tip.style.top = `${Math.max(top, 4)}px`;
};
grid.addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch" || pinned) return;
  const here = whereIs(event.target);
  clearTimeout(later);
  later = here ? setTimeout(() => tell(here, false), 90) : setTimeout(hide, 200);
});
grid.addEventListener("pointerleave", () => { if (!pinned) { clearTimeout(later); later = setTimeout(hide, 250); } });
tip.addEventListener("pointerenter", () => clearTimeout(later));
tip.addEventListener("pointerleave", () => { if (!pinned) later = setTimeout(hide, 250); });
grid.addEventListener("focusin", (event) => {
  const here = whereIs(event.target);
  if (!here || !event.target.matches(":focus-visible")) return;
  tell(here, false);
});
grid.addEventListener("focusout", (event) => { if (!pinned && !tip.contains(event.relatedTarget)) hide(); });
grid.addEventListener("click", (event) => {
  const area = event.target.closest("[data-area]")?.dataset.area;
  if (area) {
    form.elements.area.value = state.area === area ? "" : area;
    if (state.area !== area) form.elements.columns.value = "requirements";
    write(true);
    redraw();
    grid.querySelector(`[data-area="${CSS.escape(area)}"]`)?.focus();
    return;
  }
  const here = whereIs(event.target);
  if (!here || event.target.closest("a") || here.row < 0) return;
  if (pinned && about === here.cell) hide();
  else tell(here, true);
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || tip.hidden) return;
  const back = about;
  const inside = tip.contains(document.activeElement);
  hide();
  if (inside) back?.focus();
});
addEventListener("pointerdown", (event) => { if (pinned && !tip.contains(event.target) && !grid.contains(event.target)) hide(); });
grid.addEventListener("scroll", () => { if (!tip.hidden && !grid.contains(document.activeElement)) hide(); }, { passive: true });
addEventListener("scroll", () => { if (!tip.hidden && !pinned && !grid.contains(document.activeElement)) hide(); }, { passive: true });
