/** The engine's tables, kept in one JSON file that is replaced as a whole, so that a crash leaves the old or the new one. */

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const EMPTY = {
  keys: {},
  configuration: null,
  mailboxes: [],
  llm_sessions: [],
  agent_installations: [],
  incidents: [],
  settings: [],
  events: [],
};

export class Store {
  #path;
  #life;
  #tables;

  constructor(path, life) {
    this.#path = path;
    this.#life = life;
    this.#tables = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : structuredClone(EMPTY);
  }

  get tables() {
    return this.#tables;
  }

  /** All changes go through here; a dead engine makes none. */
  write(change) {
    if (this.#life.over) throw new Error("this engine has ended");
    const result = change(this.#tables);
    const fresh = `${this.#path}.new`;
    writeFileSync(fresh, JSON.stringify(this.#tables), { mode: 0o600 });
    renameSync(fresh, this.#path);
    return result;
  }

  /** `alongside` changes what belongs into the same transaction. */
  insert(table, row, alongside = () => {}) {
    return this.write((tables) => {
      alongside();
      const stored = { id: this.#nextKey(table), ...row };
      tables[table].push(stored);
      return stored;
    });
  }

  /** Run ids are given out when a run is queued, before it has a row. */
  newRunId() {
    return this.write(() => `r${this.#nextKey("run")}`);
  }

  newWorker() {
    return this.write(() => `worker-${this.#nextKey("worker")}`);
  }

  #nextKey(table) {
    this.#tables.keys[table] = (this.#tables.keys[table] ?? 0) + 1;
    return this.#tables.keys[table];
  }
}
