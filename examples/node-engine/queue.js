/** What is to be done in each mailbox, one run after the other (RESUME-13). It is stored, so a crash loses nothing. */

export class Queue {
  #engine;
  #runs = new Map();

  constructor(engine) {
    this.#engine = engine;
  }

  get #events() {
    return this.#engine.store.tables.events;
  }

  running(mailbox) {
    return this.#runs.get(mailbox.id) ?? null;
  }

  get live() {
    return [...this.#runs.values()];
  }

  add(mailbox, phase, dueAt = this.#engine.clock.now) {
    const event = this.#engine.store.insert("events", {
      mailbox_id: mailbox.id,
      phase,
      due_at: dueAt,
      taken: false,
      run: this.#engine.store.newRunId(),
    });
    this.schedule(event);
    return event;
  }

  schedule(event) {
    const { clock } = this.#engine;
    if (event.due_at > clock.now) clock.at(event.due_at, `run ${event.run}`, () => this.pump());
    else this.pump();
  }

  scheduleAll() {
    this.#events.slice().forEach((event) => this.schedule(event));
  }

  /** Starts what is due wherever nothing runs. No phase runs in a blocked issue; its events wait. */
  pump() {
    for (const mailbox of this.#engine.mailboxes.open) {
      if (mailbox.state === "blocked" || mailbox.lease_owner !== null || this.#runs.has(mailbox.id)) continue;
      const event = this.#of(mailbox).find((other) => other.due_at <= this.#engine.clock.now);
      if (event !== undefined) this.start(mailbox, event);
    }
  }

  start(mailbox, event, before) {
    this.#engine.store.write(() => (event.taken = true));
    const run = this.#engine.newRun(mailbox, event);
    this.#runs.set(mailbox.id, run);
    run.ended = run.execute(before).then(
      (done) => this.#after(run, done),
      (error) => {
        this.#engine.incident("run", run.id, error.stack);
        this.#after(run, true);
      },
    );
    return run;
  }

  /** The event that a mailbox was left with. */
  taken(mailbox) {
    return this.#of(mailbox).find((event) => event.taken) ?? null;
  }

  /** The event is run again, as a new run. */
  again(event) {
    const run = this.#engine.store.newRunId();
    this.#engine.store.write(() => Object.assign(event, { run, taken: false, due_at: this.#engine.clock.now }));
    return event;
  }

  forget(mailbox) {
    this.#runs.delete(mailbox.id);
  }

  drop(mailbox) {
    this.#engine.store.write((tables) => (tables.events = tables.events.filter((event) => event.mailbox_id !== mailbox.id)));
  }

  waiting() {
    const { clock, mailboxes } = this.#engine;
    return this.#events.flatMap((event) => {
      const mailbox = mailboxes.byId(event.mailbox_id);
      if (this.running(mailbox)?.event === event || mailbox.state === "blocked") return [];
      return [{ what: `run ${event.run}, ${event.phase}`, waits_for: event.due_at > clock.now ? "clock" : "run" }];
    });
  }

  #of(mailbox) {
    return this.#events.filter((event) => event.mailbox_id === mailbox.id);
  }

  #after(run, done) {
    if (this.#runs.get(run.mailbox.id) === run) {
      this.#runs.delete(run.mailbox.id);
      if (done) this.#engine.store.write((tables) => (tables.events = tables.events.filter((event) => event !== run.event)));
    }
    this.pump();
  }
}
