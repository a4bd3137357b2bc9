/** The tracker and repository host, and the provider that API mode calls: JSON over HTTP. */

const PATIENCE = 10_000;

class Endpoint {
  constructor(base, life) {
    this.base = base;
    this.life = life;
  }

  post(path, body, signal = AbortSignal.timeout(PATIENCE)) {
    const headers = { "Content-Type": "application/json" };
    return this.#send(`${this.base}/${path}`, { method: "POST", headers, body: JSON.stringify(body), signal });
  }

  get(path, query) {
    const signal = AbortSignal.timeout(PATIENCE);
    return this.#send(`${this.base}/${path}?${new URLSearchParams(query)}`, { signal });
  }

  #send(url, options) {
    const exchange = async () => {
      const response = await fetch(url, options);
      return { status: response.status, text: await response.text() };
    };
    return this.life.guard(exchange());
  }
}

export class Forge {
  #endpoint;
  #onFailure;

  /** A write that fails stops nothing; `onFailure` is told. */
  constructor(base, life, onFailure) {
    this.#endpoint = new Endpoint(base, life);
    this.#onFailure = onFailure;
  }

  /** `gone` on a definite 404 only (CLEAN-10), the issue on 200, and null where nothing is known. */
  async look(mailbox) {
    const { organization, project, kind, iid } = mailbox;
    try {
      const { status, text } = await this.#endpoint.get("issue", { organization, project, kind, iid: String(iid) });
      if (status === 404) return "gone";
      return status === 200 ? JSON.parse(text) : null;
    } catch {
      return null;
    }
  }

  comment(mailbox, text) {
    return this.#write("comment", { mailbox: address(mailbox), text });
  }

  label(mailbox, label) {
    return this.#write("label", { mailbox: address(mailbox), label });
  }

  unlabel(mailbox, label) {
    return this.#write("unlabel", { mailbox: address(mailbox), label });
  }

  push({ organization, project }, branch) {
    return this.#write("branch", { organization, project, branch });
  }

  async openMergeRequest(mailbox, branch, title) {
    const answer = await this.#write("merge_request", { mailbox: address(mailbox), branch, title });
    return Number.isInteger(answer?.number) ? answer.number : null;
  }

  async #write(path, body) {
    try {
      const { status, text } = await this.#endpoint.post(path, body);
      if (status >= 200 && status < 300) return JSON.parse(text || "{}");
      this.#onFailure(`forge_${path}`, `HTTP ${status}`);
    } catch (error) {
      this.#onFailure(`forge_${path}`, error.message);
    }
    return null;
  }
}

export class Model {
  #endpoint;

  constructor(base, life) {
    this.#endpoint = new Endpoint(base, life);
  }

  /** The answer, or null where there is no usable one. */
  async complete({ provider, model, prompt }, signal) {
    try {
      const { status, text } = await this.#endpoint.post("complete", { provider, model, prompt }, signal);
      const answer = status === 200 ? JSON.parse(text) : null;
      return answer?.ok === true && typeof answer.text === "string" && answer.text.trim() !== "" ? answer.text : null;
    } catch {
      return null;
    }
  }
}

export function address({ organization, project, kind, iid }) {
  return { organization, project, kind, iid };
}
