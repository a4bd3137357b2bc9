// Starting, and what changes it.

let waiting = 0;
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", (event) => {
  clearTimeout(waiting);
  if (event.target.name !== "engine") { write(true); redraw(); return; }
  write(false);
  waiting = setTimeout(redraw, 60);
});
form.addEventListener("reset", () => setTimeout(() => {
  form.elements.columns.value = usual();
  write(true);
  redraw();
}));
addEventListener("popstate", () => { read(); redraw(); });
narrow.addEventListener("change", () => { if (!state.columns && !printing) { read(); redraw(); } });
// A sheet of paper has no room for every requirement, and does not scroll: areas, and every row.
let before = "";
addEventListener("beforeprint", () => {
  printing = true;
  before = form.elements.columns.value;
  if (view.columns.length > 30) form.elements.columns.value = "areas";
  redraw();
  watcher?.disconnect();
  chunks.forEach(fill);
});
addEventListener("afterprint", () => {
  printing = false;
  form.elements.columns.value = before;
  redraw();
});

read();
form.hidden = false;
grid.hidden = false;
redraw();
