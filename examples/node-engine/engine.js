/** One engine process: it begins on what is stored, works through its events, and ends, orderly or not. */

import { join } from "node:path";
import { Activity } from "./activity.js";
import { LOCAL } from "./adapters/table.js";
import { Clock, instant } from "./clock.js";
import { Configuration } from "./configuration.js";
import { Detection } from "./detection.js";
import { Forge, Model } from "./forge.js";
import { Life } from "./life.js";
import { Mailboxes } from "./mailboxes.js";
import { Publisher } from "./publisher.js";
import { Queue } from "./queue.js";
import { Reconciler } from "./reconciler.js";
import { Run } from "./run.js";
import { Sandbox } from "./sandbox.js";
import { SessionDirectories } from "./session-directories.js";
import { Settings } from "./settings.js";
import { Store } from "./store.js";

export class Engine {
  #life = new Life();
  #reconcileAt = Infinity;
  #lost = new Map();
  #containers;

  constructor({ workdir, base, endpoints, now }) {
    const life = this.#life;
    this.worktrees = join(base, ".worktrees");
    this.clock = new Clock(now);
    this.activity = new Activity();
    this.store = new Store(join(workdir, "engine.json"), life);
    this.worker = this.store.newWorker();
    this.settings = new Settings(this.store, base);
    this.configuration = new Configuration(this.store);
    this.directories = new SessionDirectories(base);
    this.#containers = { path: endpoints.path, base };
    this.sandbox = new Sandbox({ ...this.#containers, life });
    this.forge = new Forge(endpoints.forge, life, (kind, reason) => this.incident(kind, endpoints.forge, reason));
    this.model = new Model(endpoints.model, life);
    this.detection = new Detection(this);
    this.mailboxes = new Mailboxes(this);
    this.publisher = new Publisher(this);
    this.queue = new Queue(this);
    this.reconciler = new Reconciler(this);
  }

  /** Takes the configuration, and gives the text of a refusal, or null. */
  configure({ projects, settings, images, credential_mounts: mounts }) {
    const instance = { scope: "instance", organization: "", project: "" };
    const prefixes = projects.map(({ organization, name, branch_prefix: value }) => {
      return { scope: "project", organization, project: name, name: "BRANCH_PREFIX", value: value ?? null };
    });
    const credentials = mounts.length === 0 ? [] : [{ ...instance, name: "AGENT_CREDENTIAL_MOUNTS", value: mounts }];
    for (const setting of [...prefixes, ...settings, ...credentials]) {
      const refusal = this.settings.set(setting);
      if (refusal !== null) return refusal;
    }
    return this.configuration.accept({ projects, images });
  }

  /** Whoever held a lease before is gone with the process that it was in, so these leases have run out. */
  async start() {
    for (const mailbox of this.mailboxes.all.filter((row) => row.lease_owner !== null && row.lease_owner !== this.worker)) {
      this.store.write(() => (mailbox.lease_expires_at = instant(this.clock.now)));
    }
    for (const { adapter, image } of this.configuration.images) {
      if (LOCAL.has(adapter)) this.detection.detect(LOCAL.get(adapter), image);
    }
    await this.reconcile();
    this.queue.scheduleAll();
    await this.activity.settled();
  }

  reconcile() {
    this.#reconcileAt = this.clock.now + this.#period;
    return this.activity.during("reconciler", () => this.reconciler.sweep());
  }

  /** Fires what is due up to then, in order. Sweeps between which nothing is due are one sweep, the last. */
  async advance(to) {
    for (;;) {
      const next = Math.min(this.clock.next(), to);
      if (this.#reconcileAt <= next) {
        const missed = Math.floor((next - this.#reconcileAt) / this.#period);
        this.#moveClock(this.#reconcileAt + missed * this.#period);
        await this.reconcile();
      } else {
        const deadline = this.clock.takeUntil(to);
        if (deadline === null) break;
        this.#moveClock(this.clock.now);
        await deadline.act();
      }
      await this.activity.settled();
    }
    this.#moveClock(to);
    await this.activity.settled();
  }

  rest() {
    const pending = [...this.activity.pending(), ...this.queue.waiting()];
    return { idle: pending.length === 0, pending, next_deadline: instant(this.clock.next()) };
  }

  /** The worker of a mailbox stands still, and another one reclaims its lease. */
  async loseLease(mailbox) {
    const run = this.queue.running(mailbox);
    if (run === null) return null;
    run.lose();
    this.#lost.set(mailbox.id, [...(this.#lost.get(mailbox.id) ?? []), run]);
    this.queue.forget(mailbox);
    return this.reconciler.reclaim(mailbox);
  }

  async wakeWorkers(mailbox) {
    const runs = this.#lost.get(mailbox.id) ?? [];
    this.#lost.delete(mailbox.id);
    for (const run of runs) await run.wake();
  }

  newRun(mailbox, event) {
    return new Run(this, mailbox, event);
  }

  incident(kind, subject, reason) {
    this.store.insert("incidents", { kind, subject, reason, created_at: instant(this.clock.now) });
  }

  worktreePath({ organization, project, kind, iid }, run) {
    const target = `${kind === "issue" ? "issue" : "mr"}-${iid}`;
    const name = `${organization}-${project}-${target}`.replace(/[^A-Za-z0-9._-]/gu, "_").replace(/^\./, "_");
    return join(this.worktrees, `${name.slice(0, 200)}-${run}`);
  }

  /** Ends without a warning: nothing of this engine acts any more, and its containers run on. */
  kill() {
    this.#life.end();
    this.clock.clear();
    this.activity.clear();
  }

  /** Ends in order; gives what was still under way. */
  async close() {
    const live = this.queue.live;
    const leaks = live.map((run) => `run ${run.id}, ${run.event.phase}, of ${run.mailbox.kind} ${run.mailbox.iid}`);
    const containers = this.activity.pending().flatMap(({ container }) => container ?? []);
    this.kill();
    await new Sandbox({ ...this.#containers, life: new Life() }).remove(containers);
    return leaks;
  }

  get #period() {
    return this.settings.get("RECONCILE_SECONDS") * 1000;
  }

  #moveClock(to) {
    this.clock.now = to;
    for (const run of this.queue.live) if (run.mailbox.lease_taken_at !== null) this.mailboxes.renew(run.mailbox);
  }
}
