/** What a CLI printed in one leg, read as it comes: reported ids, model turns, answer, and whether it refused. */

const KEPT_OF_STDERR = 256 * 1024;
const LONGEST_LINE = 8 * 1024 * 1024;
const COLOURS = /\u001b\[[0-9;]*[A-Za-z]/g;

export class Output {
  #adapter;
  #onId;
  #line = "";
  #stdout = new TextDecoder();
  #stderr = new TextDecoder();
  #errors = "";
  #announced = "";
  #refusalSeen = false;
  #neverRefusal = false;
  events = 0;
  failed = false;
  modelTurn = false;
  answer = "";
  reported = [];

  constructor(adapter, onId) {
    this.#adapter = adapter;
    this.#onId = onId;
  }

  stdout(chunk) {
    const lines = (this.#line + this.#stdout.decode(chunk, { stream: true })).split("\n");
    this.#line = lines.pop().slice(0, LONGEST_LINE);
    lines.forEach((line) => this.#read(line));
  }

  stderr(chunk) {
    if (this.#errors.length < KEPT_OF_STDERR) this.#errors += this.#stderr.decode(chunk, { stream: true });
  }

  end() {
    this.#read(this.#line);
    this.#line = "";
  }

  /** The asked id and the model turn are left to the table of §16.5.4. */
  refused(exitCode) {
    const { texts, together, never, neverExit, silence } = this.#adapter.refusal;
    const errors = this.#errors.replace(COLOURS, "");
    const said = `${errors}\n${this.#announced}`;
    if (this.#neverRefusal || exitCode === null || exitCode === neverExit) return false;
    if (never.some((text) => said.includes(text))) return false;
    if (silence && exitCode === 0 && this.events === 0) return true;
    if (together !== undefined && !errors.includes(together)) return false;
    return this.#refusalSeen || texts.some((text) => errors.includes(text));
  }

  get usable() {
    return !this.failed && this.answer.trim() !== "";
  }

  #read(line) {
    if (this.#adapter.plainText) {
      this.answer += line;
      return;
    }
    const event = parse(line);
    if (event === null) return;
    this.events += 1;
    const seen = this.#adapter.read(event);
    this.failed ||= seen.failed === true;
    this.modelTurn ||= seen.modelTurn === true;
    this.#neverRefusal ||= seen.neverRefusal === true;
    if (seen.text) this.#announced += `${seen.text}\n`;
    if (typeof seen.answer === "string") this.answer = seen.answer;
    if (seen.refusal) this.#refusalSeen = true;
    else this.#report(seen.id);
  }

  #report(id) {
    if (typeof id !== "string" || !this.#adapter.idPattern.test(id) || this.reported.includes(id)) return;
    this.reported.push(id);
    this.#onId(id);
  }
}

function parse(line) {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
