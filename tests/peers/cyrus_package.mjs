// Stands where the built edge worker of Cyrus lies: a tracker that knows issues, a runner that says what it was given.
import { EventEmitter } from "node:events";
import { createServer } from "node:http";

class Tracker extends EventEmitter {
  state = { issues: new Map(), agentSessions: new Map(), comments: new Map(), agentActivities: new Map(), counter: 1 };

  getState() {
    return this.state;
  }

  createIssue(title) {
    const id = `issue-${this.state.counter++}`;
    this.state.issues.set(id, { id, title, labels: ["one", null], createdAt: new Date(0), closedAt: undefined });
    this.emit("issue:created", { id });
    return id;
  }
}

export class EdgeWorker extends EventEmitter {
  constructor(config) {
    super();
    this.config = config;
    this.issueTrackers = new Map(Object.keys(config.linearWorkspaces).map((name) => [name, new Tracker()]));
  }

  createRunnerForType(type, config) {
    return { type, ...config, own: this === worker };
  }

  async start() {
    worker = this;
    const tracker = this.issueTrackers.get("cli-workspace");
    this.server = createServer(async (request, reply) => {
      let body = "";
      for await (const part of request) body += part;
      const { method, params } = JSON.parse(body);
      let result = {};
      if (method === "createIssue") result = { issue: { id: tracker.createIssue(params.title) } };
      if (method === "startSession") {
        const runner = this.createRunnerForType("claude", { model: "m" });
        result = { session: { sessionId: JSON.stringify(runner) } };
      }
      if (method === "viewSession") {
        const issues = [...tracker.state.issues.values()];
        const content = issues.map((one) => `${one.title} ${one.createdAt.getTime()} ${one.labels.length}`);
        result = { activities: [{ id: "1", type: "thought", content: content.join(", ") }] };
      }
      reply.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
    }).listen(this.config.serverPort, this.config.serverHost);
  }

  async stop() {
    console.log("stopped in order");
    this.server.closeAllConnections();
    this.server.close();
  }
}

let worker;
