/** One scenario: a configuration, and the engines that live one after the other on its folder. */

import { setTimeout } from "node:timers/promises";
import { Engine } from "./engine.js";
import { STIMULI } from "./stimuli.js";
import { VIEWS } from "./views.js";

export class Scenario {
  #place;
  #engine = null;

  async open({ workdir, endpoints, config }) {
    this.#place = { workdir, base: config.base, endpoints, now: Date.parse(config.now) };
    const engine = new Engine(this.#place);
    const refused = engine.configure(config);
    if (refused !== null) return { refused };
    this.#engine = engine;
    await engine.start();
    return { refused: null, rest: engine.rest() };
  }

  async send({ type, payload }) {
    const engine = this.#running;
    const { run = null, error = null } = await STIMULI[type](engine, payload);
    await engine.activity.settled();
    if (typeof run === "string") return { run, outcome: null, error, rest: engine.rest() };
    const outcome = run?.outcome === "live" ? null : (run?.outcome ?? null);
    return { run: run?.id ?? null, outcome, error, rest: engine.rest() };
  }

  async advance({ now }) {
    this.#place.now = Date.parse(now);
    await this.#running.advance(this.#place.now);
    return { now, rest: this.#engine.rest() };
  }

  /** Containers end in their own time, so what waits for one is told at once. */
  async quiesce({ deadline_ms: deadline }) {
    const patience = new AbortController();
    const late = setTimeout(deadline, null, { signal: patience.signal }).catch(() => null);
    await Promise.race([this.#running.activity.settled(), late]);
    patience.abort();
    return this.#running.rest();
  }

  query({ view }) {
    return { rows: VIEWS[view](this.#running) };
  }

  /** What somebody with an editor could do to the file of rows: no check of the engine's stands in the way. */
  overwrite({ run, native_session_id: native }) {
    this.#running.store.write((tables) => {
      tables.llm_sessions.find((row) => row.run === run).native_session_id = native;
    });
    return {};
  }

  kill() {
    this.#running.kill();
    this.#engine = null;
    return {};
  }

  async start() {
    this.#engine = new Engine(this.#place);
    await this.#engine.start();
    return { refused: null, rest: this.#engine.rest() };
  }

  async close() {
    const leaks = this.#engine === null ? [] : await this.#engine.close();
    this.#engine = null;
    return { leaks };
  }

  get #running() {
    if (this.#engine === null) throw new Error("the engine does not run");
    return this.#engine;
  }
}
