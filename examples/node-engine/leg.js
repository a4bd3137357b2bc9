/** One start of the CLI within a run: its container, its output, and how it ended. */

import { Output } from "./adapters/output.js";

export class Leg {
  #engine;
  #name;
  #args;
  #stand;
  #client = null;
  #output;
  #entry = null;
  #stopping = null;

  constructor({ engine, adapter, name, args, stand, onId }) {
    this.#engine = engine;
    this.#name = name;
    this.#args = args;
    this.#stand = stand;
    this.#output = new Output(adapter, onId);
  }

  async run(entry) {
    const output = this.#output;
    this.#entry = entry;
    this.#client = this.#engine.sandbox.start(this.#args, {
      stdout: (chunk) => output.stdout(chunk),
      stderr: (chunk) => output.stderr(chunk),
    });
    entry.waitForContainer(this.#name);
    const code = await this.#client.ended;
    entry.work();
    await this.#stand();
    output.end();
    const succeeded = code === 0 && output.usable;
    if (this.#stopping !== null) await this.#stopping;
    else if (!succeeded) await this.#remove();
    return {
      outcome: succeeded ? "succeeded" : "failed",
      answer: succeeded ? output.answer : null,
      reported: output.reported,
      modelTurn: output.modelTurn,
      refused: output.refused(code),
    };
  }

  /** Stops the container itself: a killed client would leave it running (ISOLATE-12). */
  stop() {
    if (this.#client === null || this.#stopping !== null) return this.#stopping;
    this.#entry.work();
    this.#stopping = this.#engine.activity.during(`stopping ${this.#name}`, async () => {
      this.#note(await this.#engine.sandbox.stop(this.#name, this.#client));
    });
    return this.#stopping;
  }

  /** The client may have been lost while its container runs on. */
  async #remove() {
    this.#note(await this.#engine.sandbox.remove([this.#name]));
  }

  #note(error) {
    if (error !== null) this.#engine.incident("container_removal", this.#name, error);
  }
}
