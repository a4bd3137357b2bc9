"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const words = document.getElementById("words");
  const outcome = document.getElementById("outcome");
  const profile = document.getElementById("profile");
  const shown = document.getElementById("shown");
  const areas = [...document.querySelectorAll("section.of-area")];
  const rows = [...document.querySelectorAll("details.row")];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const text = texts.get(row);
      const fits =
        wanted.every((word) => text.includes(word)) &&
        (!outcome.value || row.dataset.outcome === outcome.value || row.dataset.look === outcome.value) &&
        (!profile.value || row.dataset.profile === profile.value);
      row.hidden = !fits;
      count += fits ? 1 : 0;
    }
    for (const area of areas) area.hidden = !area.querySelector("details.row:not([hidden])");
    shown.textContent = `${count} of ${rows.length} requirements shown`;
  };
  for (const control of [words, outcome, profile]) control.addEventListener("input", apply);

  const all = document.getElementById("all");
  all.addEventListener("click", () => {
    const opened = all.getAttribute("aria-pressed") !== "true";
    for (const row of rows) if (!row.hidden) row.open = opened;
    all.setAttribute("aria-pressed", String(opened));
    all.textContent = opened ? "Close all" : "Open all";
  });

  const reveal = () => {
    const row = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (row && row.matches("details.row")) { row.hidden = false; row.open = true; row.scrollIntoView(); }
  };
  addEventListener("hashchange", reveal);
  let before = null;
  addEventListener("beforeprint", () => { before = rows.map((row) => row.open); for (const row of rows) row.open ||= row.dataset.look === "bad"; });
  addEventListener("afterprint", () => { if (before) rows.forEach((row, at) => { row.open = before[at]; }); });
  apply();
  reveal();
})();
