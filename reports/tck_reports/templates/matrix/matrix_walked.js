// Going through it: row -1 is the head, column 0 the engine, column 1 the verdict.

const lineOf = (row) => {
  const chunk = chunks.find((one) => one.rows[0] <= row && row <= one.rows.at(-1));
  if (!chunk) return null;
  fill(chunk);
  return chunk.body.rows[row - chunk.rows[0]];
};
const at = (row, column) => {
  if (row < 0) {
    const heads = table.tHead.rows;
    if (view.mode === "areas") return column < 2 ? null : heads[0].cells[column]?.querySelector("button");
    return column < 2 ? null : heads[1].cells[column - 2]?.querySelector("a");
  }
  const cell = lineOf(row)?.cells[column];
  return column === 0 ? cell?.querySelector("a") : cell;
};
const go = (row, column) => {
  const target = at(row, column);
  if (!target) return;
  const before = grid.querySelector("[tabindex='0']");
  if (before) before.tabIndex = -1;
  target.tabIndex = 0;
  target.focus({ preventScroll: true });
  clear(target.closest("td, th"));
};
// What is pinned at the edges must not cover what has the focus.
const clear = (cell) => {
  const frame = grid.getBoundingClientRect();
  const box = cell.getBoundingClientRect();
  const top = frame.top + table.tHead.getBoundingClientRect().height;
  const left = frame.left + (table.querySelector(".engine")?.offsetWidth ?? 0);
  const right = frame.left + grid.clientWidth;
  const bottom = frame.top + grid.clientHeight;
  if (!cell.closest("thead")) {
    if (box.top < top) grid.scrollTop -= top - box.top;
    else if (box.bottom > bottom) grid.scrollTop += box.bottom - bottom + 2;
  }
  if (!cell.classList.contains("engine")) {
    if (box.left < left) grid.scrollLeft -= left - box.left;
    else if (box.right > right) grid.scrollLeft += box.right - right + 2;
  }
};
const whereIs = (node) => {
  const cell = node.closest?.("td, th");
  const line = cell?.closest("tr");
  if (!line || !grid.contains(line) || line.classList.contains("group") || cell.classList.contains("away")) return null;
  if (!line.closest("thead")) return { row: Number(line.dataset.at), column: cell.cellIndex, cell };
  if (view.mode === "areas") return { row: -1, column: cell.cellIndex, cell };
  return line.rowIndex === 1 ? { row: -1, column: cell.cellIndex + 2, cell } : null;
};
grid.addEventListener("keydown", (event) => {
  const here = whereIs(event.target);
  if (!here || event.ctrlKey && !["Home", "End"].includes(event.key) || event.altKey || event.metaKey) return;
  const { row, column } = here;
  const last = view.rows.length - 1;
  const end = view.columns.length + 1;
  const page = Math.max(Math.floor(grid.clientHeight / height) - 3, 1);
  const to = {
    ArrowUp: [Math.max(row - 1, column < 2 ? 0 : -1), column], ArrowDown: [Math.min(row + 1, last), column],
    ArrowLeft: [row, Math.max(column - 1, row < 0 ? 2 : 0)], ArrowRight: [row, Math.min(column + 1, end)],
    PageUp: [Math.max(row - page, 0), column], PageDown: [Math.min(row + page, last), column],
    Home: event.ctrlKey ? [0, 0] : [row, row < 0 ? 2 : 0], End: event.ctrlKey ? [last, end] : [row, end],
  }[event.key];
  if (to) {
    event.preventDefault();
    go(...to);
  } else if ((event.key === "Enter" || event.key === " ") && event.target.matches("td")) {
    event.preventDefault();
    tell(here, true);
    tip.querySelector("a")?.focus();
  }
});
