/** Virtual time: it moves when it is told to, and fires what is due on the way, in order. */

export class Clock {
  #deadlines = [];

  constructor(now) {
    this.now = now;
  }

  at(time, what, act) {
    const deadline = { time, what, act };
    this.#deadlines.push(deadline);
    return () => this.#drop(deadline);
  }

  after(milliseconds, what, act) {
    return this.at(this.now + milliseconds, what, act);
  }

  next() {
    return this.#deadlines.reduce((first, deadline) => Math.min(first, deadline.time), Infinity);
  }

  /** Takes the first deadline up to `time` and sets the clock to it. */
  takeUntil(time) {
    const first = this.next();
    if (first > time) return null;
    const deadline = this.#deadlines.find((other) => other.time === first);
    this.#drop(deadline);
    this.now = Math.max(this.now, first);
    return deadline;
  }

  clear() {
    this.#deadlines = [];
  }

  #drop(deadline) {
    this.#deadlines = this.#deadlines.filter((other) => other !== deadline);
  }
}

export const instant = (milliseconds) => (Number.isFinite(milliseconds) ? new Date(milliseconds).toISOString() : null);
