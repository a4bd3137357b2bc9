/** What is under way in the engine, and what each piece of it waits for. */

import { setImmediate } from "node:timers/promises";

const ROUNDS = 3;

export class Activity {
  #entries = new Set();
  #watchers = new Set();

  begin(what) {
    const entry = new Entry(what, () => this.#changed());
    this.#entries.add(entry);
    entry.end = () => {
      this.#entries.delete(entry);
      this.#changed();
    };
    return entry;
  }

  /** Runs something as work of its own. */
  async during(what, act) {
    const entry = this.begin(what);
    try {
      return await act(entry);
    } finally {
      entry.end();
    }
  }

  pending() {
    return [...this.#entries].map((entry) => entry.asPending());
  }

  /** Resolves when nothing needs the processor. Some turns of the loop let what stands in the pipes be read. */
  async settled() {
    for (let quiet = 0; quiet < ROUNDS; quiet += 1) {
      if (this.#working()) {
        await this.#change();
        quiet = -1;
      } else {
        await setImmediate();
      }
    }
  }

  clear() {
    this.#entries.clear();
    this.#changed();
  }

  #working() {
    return [...this.#entries].some((entry) => entry.waitsFor === "work");
  }

  #change() {
    return new Promise((resolve) => this.#watchers.add(resolve));
  }

  #changed() {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    watchers.forEach((resolve) => resolve());
  }
}

class Entry {
  waitsFor = "work";
  container = null;
  #changed;

  constructor(what, changed) {
    this.what = what;
    this.#changed = changed;
  }

  waitForContainer(name) {
    this.#set("container", name);
  }

  waitForRun() {
    this.#set("run", null);
  }

  work() {
    this.#set("work", null);
  }

  asPending() {
    const pending = { what: this.what, waits_for: this.waitsFor };
    return this.container === null ? pending : { ...pending, container: this.container };
  }

  #set(waitsFor, container) {
    this.waitsFor = waitsFor;
    this.container = container;
    this.#changed();
  }
}
