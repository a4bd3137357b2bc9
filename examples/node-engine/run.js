/** One run: the sequence of §13.1, from the lease to its release. */

import { mkdirSync } from "node:fs";
import { API, LOCAL, isId } from "./adapters/table.js";
import { instant } from "./clock.js";
import { Leg } from "./leg.js";
import { LeaseLost } from "./mailboxes.js";
import { branchName } from "./naming.js";
import { promptFor } from "./prompt.js";
import { prove, proveFresh, resolve } from "./resolution.js";
import { hasChanged, removeTree } from "./session-directories.js";
import { startOf } from "./start.js";
import { FIXES } from "./states.js";

const NOTHING = { resumed: false, nativeId: null, reason: null };

export class Run {
  #engine;
  #stopping = null;
  #stopped = null;
  #wake = null;
  #entry = null;
  #deadline = null;
  #timer = () => {};
  #provider = new AbortController();
  leg = null;
  row = null;
  worktree = null;
  epoch = null;

  constructor(engine, mailbox, event) {
    this.#engine = engine;
    this.mailbox = mailbox;
    this.event = event;
    this.id = event.run;
    this.stopSignal = new Promise((resolve) => (this.#stopped = resolve));
  }

  get outcome() {
    return this.row?.outcome ?? null;
  }

  get lost() {
    return this.#wake !== null;
  }

  /** `before` is what a reclaiming worker does once it has the lease. Gives whether the run came to its end. */
  async execute(before) {
    const { activity, mailboxes } = this.#engine;
    this.#entry = activity.begin(`run ${this.id}`);
    try {
      this.epoch = mailboxes.takeLease(this.mailbox);
      await before?.();
      await mailboxes.moveFor(this.mailbox, this.event.phase);
      this.#fixName();
      const plan = await this.#resolve();
      if (plan === null) return false;
      this.#insertRow(plan);
      const { outcome, answer, record } = await this.#tryWork(plan);
      this.#record(outcome, record);
      await this.#engine.publisher.publish(this, outcome, answer);
      return true;
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      return false;
    } finally {
      await this.#leave();
    }
  }

  /** Ends the run from outside, as `cancelled` or `timed_out`. */
  stop(outcome) {
    this.#stopping ??= outcome;
    this.#stopped();
    this.#provider.abort();
    return this.leg?.stop();
  }

  /** The worker stands still and its lease runs out. */
  lose() {
    this.#entry.end();
    this.#timer();
    this.gate = new Promise((resolve) => (this.#wake = resolve));
  }

  /** It goes on where it stood, without knowing what happened. */
  async wake() {
    this.#entry = this.#engine.activity.begin(`late worker of run ${this.id}`);
    this.#wake();
    await this.ended;
  }

  #fixName() {
    const { mailbox } = this;
    if (mailbox.kind !== "issue" || mailbox.branch_name !== null) return;
    const prefix = this.#engine.settings.get("BRANCH_PREFIX", mailbox.organization, mailbox.project);
    this.#write(() => (mailbox.branch_name = branchName(prefix, mailbox.iid, mailbox.title)));
  }

  async #resolve() {
    const { mailbox } = this;
    const { detection, settings, configuration, store } = this.#engine;
    const binding = configuration.binding(mailbox, this.event.phase);
    const adapter = LOCAL.get(binding.adapter) ?? null;
    const image = configuration.image(binding.adapter);
    const installed = adapter === null || image === null ? null : await this.#detected(detection, adapter, image);
    if (this.#stopping !== null) return null;
    const declares = adapter?.resumableSessions === true;
    const decision = resolve({
      enabled: settings.get("AGENT_SESSION_RESUME", mailbox.organization, mailbox.project),
      declares,
      kind: mailbox.kind,
      adapter: binding.adapter,
      rows: store.tables.llm_sessions.filter((row) => row.mailbox_id === mailbox.id),
      installed: { resumable: installed?.resumable_sessions === true, version: installed?.version ?? null },
      holdsSomething: declares && this.#engine.directories.holdsSomething(mailbox.session_dir, binding.adapter),
      isId,
    });
    return { binding, adapter, image, version: installed?.version ?? null, decision };
  }

  async #detected(detection, adapter, image) {
    const detected = detection.ensure(adapter, image);
    if (detection.isUnderWay(adapter, image)) this.#entry.waitForRun();
    const installed = await Promise.race([detected, this.stopSignal]);
    await this.#stand();
    this.#entry.work();
    return installed ?? null;
  }

  #insertRow({ binding, decision, version }) {
    const { mailbox } = this;
    const { store, clock } = this.#engine;
    const sessionDir = decision.applies ? this.#sessionDir() : mailbox.session_dir;
    const alongside = () => {
      mailbox.session_dir = sessionDir;
      if (FIXES.has(this.event.phase)) mailbox.fix_attempts += 1;
    };
    this.#checkLease();
    const row = {
      run: this.id,
      mailbox_id: mailbox.id,
      phase: this.event.phase,
      adapter_id: binding.adapter,
      provider: binding.provider,
      model: binding.model,
      cli_version: version,
      outcome: "live",
      session_name: decision.applies ? mailbox.branch_name : null,
      native_session_id: null,
      resumed: false,
      resume_fallback: decision.reason,
      created_at: instant(clock.now),
      session: null,
      result: null,
    };
    this.row = store.insert("llm_sessions", row, alongside);
  }

  #sessionDir() {
    const { mailboxes, directories } = this.#engine;
    if (this.mailbox.session_dir !== null) return this.mailbox.session_dir;
    const held = mailboxes.all.map((other) => other.session_dir).filter((name) => name !== null);
    return directories.choose(this.mailbox, held, (name, error) => this.#engine.incident("session_removal", name, error));
  }

  /** What goes wrong on the host fails the run as a container does that cannot start. */
  async #tryWork(plan) {
    try {
      return await this.#work(plan);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      this.#engine.incident("run", this.id, error.message);
      const outcome = this.#stopping ?? "failed";
      return { outcome, answer: null, record: { ...NOTHING, reason: plan.decision.reason } };
    }
  }

  async #work(plan) {
    const prompt = promptFor(this.mailbox, this.event.phase);
    const session = this.#session(plan);
    this.#write(() => (this.row.session = session));
    this.#startTime();
    if (plan.binding.adapter === API) return this.#callProvider(plan, prompt);
    if (plan.image === null) return { outcome: "failed", answer: null, record: { ...NOTHING, reason: plan.decision.reason } };
    this.worktree = this.#makeWorktree();
    const first = await this.#runLeg(plan, prompt, session, 1);
    if (session === null) return { ...first, record: NOTHING };
    if (session.resumeId === null) {
      return { ...first, record: this.#saved(first, proveFresh(first.reported, plan.decision.reason)) };
    }
    const proven = prove({ ...first, asked: session.resumeId, rotatesIds: plan.adapter.rotatesIds, end: first.outcome });
    if (proven !== null) return { ...first, record: this.#saved(first, proven) };
    return this.#workAfresh(plan, prompt, session);
  }

  /** A refusal is followed by one fresh leg, built as a first run is, in what remains of the time. */
  async #workAfresh(plan, prompt, session) {
    const refused = { resumed: false, nativeId: null, reason: "refused" };
    this.#write(() => Object.assign(this.row, { resume_fallback: "refused", native_session_id: null, resumed: false }));
    if (this.#stopping === null && this.#engine.clock.now >= this.#deadline) this.#stopping = "timed_out";
    if (this.#stopping !== null) return { outcome: this.#stopping, answer: null, record: refused };
    const second = await this.#runLeg(plan, prompt, { ...session, resumeId: null }, 2);
    return { ...second, record: this.#saved(second, proveFresh(second.reported, "refused")) };
  }

  #session({ decision, adapter }) {
    if (!decision.applies) return null;
    const stateDir = this.#engine.directories.path(this.mailbox.session_dir, adapter.id);
    return { name: this.mailbox.branch_name, resumeId: decision.resumeId, stateDir };
  }

  async #runLeg(plan, prompt, session, number) {
    const { directories } = this.#engine;
    const { name, args, state } = startOf(this.#engine, this, { plan, prompt, session, number });
    const before = state === null ? null : directories.snapshot(state);
    const hooks = { stand: () => this.#stand(), onId: (id) => this.#noteId(session, id) };
    this.leg = new Leg({ engine: this.#engine, adapter: plan.adapter, name, args, ...hooks });
    const end = await this.leg.run(this.#entry);
    const saved = state === null || hasChanged(before, directories.snapshot(state));
    this.leg = null;
    return { ...end, outcome: this.#stopping ?? end.outcome, saved };
  }

  /** Stores an id while the CLI still runs (RESUME-15): the first one of a fresh leg, or the asked one. */
  #noteId(session, id) {
    if (session === null || this.lost || this.row.native_session_id !== null) return;
    if (session.resumeId !== null && session.resumeId !== id) return;
    this.#write(() => Object.assign(this.row, { native_session_id: id, resumed: session.resumeId !== null }));
  }

  /** RECORD-3: an id without a transcript cannot be resumed. */
  #saved({ outcome, saved }, record) {
    return outcome === "succeeded" && !saved ? { ...record, nativeId: null } : record;
  }

  async #callProvider({ binding }, prompt) {
    const { provider, model } = binding;
    const answer = await this.#engine.model.complete({ provider, model, prompt }, this.#provider.signal);
    await this.#stand();
    const outcome = this.#stopping ?? (answer === null ? "failed" : "succeeded");
    return { outcome, answer, record: NOTHING };
  }

  #record(outcome, record) {
    this.#timer();
    const result = { sessionId: record.nativeId, resumed: record.resumed, resumeFallback: record.reason };
    this.#write(() =>
      Object.assign(this.row, {
        outcome,
        native_session_id: record.nativeId,
        resumed: record.resumed,
        resume_fallback: record.reason,
        result,
      }),
    );
  }

  #startTime() {
    const { clock, settings } = this.#engine;
    const limit = settings.get("PHASE_TIMEOUT_MINUTES") * 60_000;
    this.#deadline = clock.now + limit;
    this.#timer = clock.at(this.#deadline, `time of run ${this.id}`, () => this.stop("timed_out"));
  }

  #makeWorktree() {
    const path = this.#engine.worktreePath(this.mailbox, this.id);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** A worker that stands still goes no further. */
  async #stand() {
    if (this.gate !== undefined) await this.gate;
  }

  #checkLease() {
    this.#write(() => {});
  }

  #write(change) {
    return this.#engine.mailboxes.write(this.mailbox, this.epoch, change);
  }

  async #leave() {
    this.#timer();
    if (this.worktree !== null) {
      const error = removeTree(this.worktree);
      if (error !== null) this.#engine.incident("worktree_removal", this.worktree, error);
    }
    if (this.epoch === this.mailbox.lease_epoch) this.#engine.mailboxes.releaseLease(this.mailbox, this.epoch);
    this.#entry.end();
  }
}
