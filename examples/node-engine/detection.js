/** What the installed version of each CLI can do: one row for each adapter and image (§16.6). */

import { isVerified } from "./adapters/table.js";
import { findVersion } from "./versions.js";
import { instant } from "./clock.js";

const TIME_LIMIT = 10_000;
const KEPT = 64 * 1024;

export class Detection {
  #engine;
  #underWay = new Map();

  constructor(engine) {
    this.#engine = engine;
  }

  row(adapter, image) {
    const { agent_installations: rows } = this.#engine.store.tables;
    return rows.find((row) => row.adapter_id === adapter.id && row.image === image) ?? null;
  }

  isUnderWay(adapter, image) {
    return this.#underWay.has(keyOf(adapter, image));
  }

  /** The row of an image; where there is none it is detected first. */
  async ensure(adapter, image) {
    if (this.isUnderWay(adapter, image)) return this.#underWay.get(keyOf(adapter, image));
    return this.row(adapter, image) ?? this.detect(adapter, image);
  }

  detect(adapter, image) {
    const key = keyOf(adapter, image);
    const detecting = this.#engine.activity
      .during(`version of ${adapter.cli} in ${image}`, (entry) => this.#ask(adapter, image, entry))
      .then((answer) => this.#record(adapter, image, answer))
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, detecting);
    return detecting;
  }

  async #ask(adapter, image, entry) {
    const { sandbox, clock } = this.#engine;
    const { name, args } = sandbox.versionCommand(adapter, image);
    const chunks = [];
    let kept = 0;
    const stdout = (chunk) => {
      if (kept < KEPT) chunks.push(chunk);
      kept += chunk.length;
    };
    const client = sandbox.start(args, { stdout, stderr() {} });
    entry.waitForContainer(name);
    let late = false;
    const cancel = clock.after(TIME_LIMIT, "version command", () => {
      late = true;
      entry.work();
      return sandbox.stop(name, client);
    });
    const code = await client.ended;
    entry.work();
    cancel();
    if (late) return { version: null, reason: `${adapter.cli} --version did not end within 10 seconds` };
    if (code !== 0) {
      await sandbox.remove([name]);
      return { version: null, reason: `${adapter.cli} --version ended with exit code ${code}` };
    }
    const version = findVersion(Buffer.concat(chunks));
    return { version, reason: version === null ? `${adapter.cli} --version printed no version` : null };
  }

  #record(adapter, image, { version, reason }) {
    const { store, clock } = this.#engine;
    const resumable = isVerified(adapter, version);
    const found = {
      version,
      resumable_sessions: resumable,
      session_state_path: resumable ? adapter.sessionStatePath : null,
      reason: resumable ? null : (reason ?? unverified(adapter, version)),
      detected_at: instant(clock.now),
    };
    const row = this.row(adapter, image);
    if (row === null) return store.insert("agent_installations", { adapter_id: adapter.id, image, ...found });
    return store.write(() => Object.assign(row, found));
  }
}

const keyOf = (adapter, image) => `${adapter.id} ${image}`;

function unverified(adapter, version) {
  if (adapter.verifiedFrom === null) return `no version of ${adapter.cli} is verified to resume`;
  return `version ${version} is not verified to resume; verified from ${adapter.verifiedFrom}`;
}
