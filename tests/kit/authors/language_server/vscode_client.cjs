// A client made of the packages that Visual Studio Code's own clients are made of. It plays one session against the
// server that its arguments start, in the folder of the first argument, and prints what it was told as JSON.
"use strict";

const { spawn } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { pathToFileURL } = require("node:url");
const path = require("node:path");
const lsp = require("vscode-languageserver-protocol/node");

const [folder, command, ...rest] = process.argv.slice(2);
const server = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] });
const connection = lsp.createProtocolConnection(
  new lsp.StreamMessageReader(server.stdout),
  new lsp.StreamMessageWriter(server.stdin),
);
connection.onError((error) => {
  throw new Error(String(error));
});

const waiting = new Map();
connection.onNotification(lsp.PublishDiagnosticsNotification.type, (said) => {
  const key = `${said.uri} ${said.version}`;
  waiting.get(key)?.(said.diagnostics);
});
const registered = [];
connection.onRequest(lsp.RegistrationRequest.type, (asked) => {
  registered.push(...asked.registrations.map((one) => one.method));
});
connection.listen();

function findings(uri, version) {
  return new Promise((resolve) => waiting.set(`${uri} ${version}`, resolve));
}

function open(name, languageId) {
  const uri = pathToFileURL(path.join(folder, name)).toString();
  const text = readFileSync(path.join(folder, name), "utf-8");
  connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId, version: 1, text },
  });
  return uri;
}

async function session() {
  const hello = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(folder).toString(),
    workspaceFolders: [{ uri: pathToFileURL(folder).toString(), name: "tea" }],
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      workspace: {
        workspaceEdit: { documentChanges: true },
        didChangeWatchedFiles: { dynamicRegistration: true },
      },
      textDocument: {
        hover: { contentFormat: ["markdown", "plaintext"] },
        definition: { linkSupport: true },
        documentSymbol: { hierarchicalDocumentSymbolSupport: true },
        rename: { prepareSupport: true },
      },
    },
  });
  await connection.sendNotification(lsp.InitializedNotification.type, {});
  const document = open("tea.md", "markdown");
  const first = await findings(document, 1);
  const feature = open("tea.feature", "cucumber");
  const tags = await findings(feature, 1);
  const tag = { textDocument: { uri: feature }, position: { line: 2, character: 5 } };
  const told = {
    capabilities: hello.capabilities,
    registered,
    first,
    tags,
    hover: await connection.sendRequest(lsp.HoverRequest.type, tag),
    definition: await connection.sendRequest(lsp.DefinitionRequest.type, tag),
    completion: await connection.sendRequest(lsp.CompletionRequest.type, tag),
    symbols: await connection.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument: { uri: document } }),
    prepared: await connection.sendRequest(lsp.PrepareRenameRequest.type, tag),
    renamed: await connection.sendRequest(lsp.RenameRequest.type, { ...tag, newName: "pot-5" }),
  };
  const changed = findings(document, 2);
  await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
    textDocument: { uri: document, version: 2 },
    contentChanges: [
      { range: { start: { line: 13, character: 0 }, end: { line: 13, character: 0 } }, text: "🫖 See §9.9. " },
    ],
  });
  told.changed = await changed;
  told.actions = await connection.sendRequest(lsp.CodeActionRequest.type, {
    textDocument: { uri: document },
    range: told.changed[0].range,
    context: { diagnostics: told.changed },
  });
  await connection.sendRequest(lsp.ShutdownRequest.type);
  const ended = new Promise((resolve) => server.on("exit", resolve));
  await connection.sendNotification(lsp.ExitNotification.type);
  told.code = await ended;
  process.stdout.write(JSON.stringify(told));
}

session().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
