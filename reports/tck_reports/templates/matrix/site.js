"use strict";
// Every page of the site can be read without this. It filters the rows of a table, and copies the snippet of a badge.
(() => {
  const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

  for (const form of document.querySelectorAll("form[data-rows]")) {
    const rows = [...document.getElementById(form.dataset.rows).tBodies[0].rows];
    const said = form.querySelector("[role=status]");
    let texts = null;
    const apply = () => {
      const wanted = words(form.elements.words.value);
      const show = form.elements.show.value;
      if (wanted.length) texts ??= rows.map((row) => row.textContent.toLowerCase());
      let count = 0;
      rows.forEach((row, at) => {
        const fits =
          wanted.every((word) => texts[at].includes(word)) &&
          (!show || (show === "changed" ? "changed" in row.dataset : row.dataset.look === show));
        row.hidden = !fits;
        count += fits ? 1 : 0;
      });
      said.textContent = `${count} of ${rows.length} shown`;
    };
    const write = (push) => {
      const query = new URLSearchParams(location.search);
      for (const name of ["words", "show"]) {
        const value = form.elements[name].value;
        if (value) query.set(name, value);
        else query.delete(name);
      }
      const address = `${location.pathname}${query.size ? `?${query}` : ""}${location.hash}`;
      if (push) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    };
    const read = () => {
      const query = new URLSearchParams(location.search);
      form.elements.words.value = query.get("words") ?? "";
      form.elements.show.value = query.get("show") ?? "";
      if (form.elements.show.selectedIndex < 0) form.elements.show.value = "";
      apply();
    };
    // A link to a row shows it, whatever was filtered.
    const reveal = () => {
      const row = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (row && row.hidden && rows.includes(row)) {
        form.elements.words.value = form.elements.show.value = "";
        apply();
        row.scrollIntoView();
      }
    };
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => { apply(); write(event.target.name === "show"); });
    addEventListener("popstate", read);
    addEventListener("hashchange", reveal);
    form.hidden = false;
    read();
    reveal();
  }

  for (const code of document.querySelectorAll(".snippet code")) {
    if ("root" in code.dataset && location.protocol.startsWith("http")) {
      const site = new URL(code.dataset.root, location.href).href;
      code.textContent = code.textContent.replaceAll(code.dataset.root, site).replace("index.html)", ")");
    }
    const button = code.closest(".snippet").querySelector("[data-copy]");
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }
})();
