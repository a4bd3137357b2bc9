"use strict";
// The address is where the state of the page lives: #ID?q=words&outcome=failed opens one row among the filtered.
(() => {
  const at = (id) => document.getElementById(id);
  document.documentElement.classList.add("js");
  const fields = { q: at("words"), outcome: at("outcome"), profile: at("profile"), area: at("area"), evidence: at("evidence") };
  const rows = [...document.querySelectorAll("section.of-area details.row")];
  const causes = [...document.querySelectorAll("details.cause")];
  const areas = [...document.querySelectorAll("section.of-area")];
  const links = [...document.querySelectorAll("a[data-filter]")];
  const shown = at("shown");

  // --- what the address says -------------------------------------------------------------------------------------
  const read = () => {
    const [target, query = ""] = location.hash.slice(1).split("?");
    let place = target;
    try { place = decodeURIComponent(target); } catch { /* it is no address of ours */ }
    return { place, query: new URLSearchParams(query) };
  };
  const write = (place, query) => `#${encodeURIComponent(place)}${`${query}` ? `?${query}` : ""}`;
  const chosen = () => {
    const query = new URLSearchParams();
    for (const [name, field] of Object.entries(fields)) if (field.value.trim()) query.set(name, field.value.trim());
    return query;
  };

  // --- filters ---------------------------------------------------------------------------------------------------
  let texts = null;
  const fits = (row, words) =>
    (!fields.outcome.value || row.dataset.outcome === fields.outcome.value || row.dataset.look === fields.outcome.value) &&
    (!fields.profile.value || row.dataset.profile === fields.profile.value) &&
    (!fields.area.value || row.dataset.area === fields.area.value) &&
    (!fields.evidence.value || row.dataset.evidence === fields.evidence.value) &&
    words.every((word) => texts.get(row).includes(word));
  const apply = () => {
    const words = fields.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length) texts ??= new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
    const left = new Set();
    for (const row of rows) {
      row.hidden = !fits(row, words);
      if (!row.hidden) left.add(row.id);
    }
    for (const area of areas) area.hidden = !area.querySelector("details.row:not([hidden])");
    for (const cause of causes) cause.hidden = !cause.dataset.of.split(" ").some((id) => left.has(id));
    const query = chosen();
    for (const link of links) {
      const own = new URLSearchParams(link.dataset.filter);
      const current = [...own].length === [...query].length && [...own].every(([name, value]) => query.get(name) === value);
      link.toggleAttribute("aria-current", current);
      if (current) link.setAttribute("aria-current", "true");
    }
    const failures = causes.filter((cause) => !cause.hidden).length;
    shown.textContent = (left.size ? "" : "Nothing fits these filters: ") + `${left.size} of ${rows.length} requirements` +
      (causes.length ? ` and ${failures} of ${causes.length} kinds of failures` : "") + " shown";
  };
  const open = (place) => {
    const target = place && at(place);
    if (!target) return;
    for (let one = target; one; one = one.parentElement) {
      one.hidden = false;
      if (one.matches("details")) one.open = true;
    }
    target.scrollIntoView();
  };
  const focus = () => {
    const target = at(read().place);
    const node = target?.querySelector(":scope > summary") ?? target;
    if (node && node.tabIndex < 0) node.tabIndex = -1;
    node?.focus({ preventScroll: true });
  };
  const show = () => {
    const { place, query } = read();
    for (const [name, field] of Object.entries(fields)) {
      field.value = query.get(name) ?? "";
      if (field.value !== (query.get(name) ?? "")) field.value = "";
    }
    apply();
    open(place);
  };
  // A new choice is a step that the back button takes back; a word that is still being typed is not.
  let typing = false;
  const choose = (replace) => {
    const address = write("", chosen());
    if (replace) history.replaceState(null, "", address);
    else if (address !== (location.hash || "#")) history.pushState(null, "", address);
    apply();
  };
  fields.q.addEventListener("input", () => { choose(typing); typing = true; });
  fields.q.addEventListener("blur", () => { typing = false; });
  for (const [name, field] of Object.entries(fields)) if (name !== "q") field.addEventListener("change", () => choose(false));
  const clear = () => {
    for (const field of Object.values(fields)) field.value = "";
    choose(false);
  };
  at("clear").addEventListener("click", clear);
  for (const link of links) link.href = `#?${link.dataset.filter}`;
  addEventListener("popstate", show);
  // The browser has its own idea of the focus after a jump; this comes after it.
  addEventListener("hashchange", focus);
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link?.dataset.filter) requestAnimationFrame(() => at("tools").scrollIntoView());
    else if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      // A link leads to another place among what is filtered; opened elsewhere, it leads to that place alone.
      event.preventDefault();
      history.pushState(null, "", write(decodeURIComponent(link.hash.slice(1)), chosen()));
      show();
      focus();
    }
    const summary = event.target.closest("details.row > summary");
    if (!summary) return;
    const row = summary.parentElement;
    // The row opens or closes after this.
    history.replaceState(null, "", write(row.open ? "" : row.id, chosen()));
  });

  const all = at("all");
  all.addEventListener("click", () => {
    const opened = all.getAttribute("aria-pressed") !== "true";
    for (const row of [...causes, ...rows]) if (!row.hidden) row.open = opened;
    all.setAttribute("aria-pressed", String(opened));
    all.textContent = opened ? "Close all" : "Open all";
  });

  // --- copying ---------------------------------------------------------------------------------------------------
  const copy = async (text, node) => {
    try { await navigator.clipboard.writeText(text); return true; } catch { /* not allowed: take the old way */ }
    getSelection().selectAllChildren(node);
    return document.execCommand("copy");
  };
  for (const command of document.querySelectorAll(".command")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const text = command.querySelector("pre");
      button.textContent = (await copy(text.textContent, text)) ? "Copied" : "Selected";
      shown.textContent = `${button.textContent}: ${text.textContent}`;
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    command.append(button);
  }

  // --- keys ------------------------------------------------------------------------------------------------------
  const keys = at("keys");
  const keysOn = at("keys-on");
  const KEPT = "session-tck-keys";
  try { keysOn.checked = localStorage.getItem(KEPT) !== "off"; } catch { /* nothing is kept here */ }
  keysOn.addEventListener("change", () => {
    try { localStorage.setItem(KEPT, keysOn.checked ? "on" : "off"); } catch { /* the same */ }
  });
  at("help").addEventListener("click", () => keys.showModal());
  at("keys-close").addEventListener("click", () => keys.close());
  const rowOf = (node) => node.closest?.("details.row") ?? null;
  const move = (step) => {
    const visible = [...causes, ...rows].filter((row) => !row.hidden);
    const from = visible.indexOf(rowOf(document.activeElement));
    const top = visible.findIndex((row) => row.getBoundingClientRect().top > 0);
    const next = from >= 0 ? from + step : step > 0 ? top : top - 1;
    visible[Math.max(0, Math.min(next, visible.length - 1))]?.querySelector("summary").focus();
  };
  const escape = () => {
    const row = rowOf(document.activeElement);
    if (document.activeElement === fields.q) fields.q.blur();
    else if (row?.open) {
      row.open = false;
      row.querySelector("summary").focus();
      history.replaceState(null, "", write("", chosen()));
    } else if (`${chosen()}`) clear();
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
    if (event.key === "Escape") return escape();
    if (event.target.matches("input, select, textarea")) return;
    const onRow = event.target.matches("details.row > summary");
    const actions = { ArrowDown: onRow && (() => move(1)), ArrowUp: onRow && (() => move(-1)) };
    if (keysOn.checked) {
      Object.assign(actions, {
        "/": () => { fields.q.focus(); fields.q.select(); }, j: () => move(1), k: () => move(-1), "?": () => keys.showModal(),
      });
    }
    const action = Object.hasOwn(actions, event.key) && actions[event.key];
    if (action) { event.preventDefault(); action(); }
  });

  // --- print -----------------------------------------------------------------------------------------------------
  let before = null;
  const failed = () => [...document.querySelectorAll("details.row.bad, details.check.bad")];
  addEventListener("beforeprint", () => { before = failed().map((one) => [one, one.open]); for (const [one] of before) one.open = true; });
  addEventListener("afterprint", () => { for (const [one, was] of before ?? []) one.open = was; });
  show();
})();
