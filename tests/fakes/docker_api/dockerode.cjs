/** What engines in Node do with Docker, one after the other; what came of it is written as one JSON object. */

const Docker = require("dockerode");
const { PassThrough } = require("node:stream");
const { text } = require("node:stream/consumers");

const docker = new Docker({ socketPath: process.env.DOCKER_HOST.replace("unix://", "") });
const image = process.env.TCK_IMAGE;
const labels = { [process.env.TCK_LABEL]: "1" };

function split(container, stream) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  container.modem.demuxStream(stream, out, err);
  stream.on("end", () => [out, err].forEach((one) => one.end()));
  return Promise.all([text(out), text(err)]);
}

async function main() {
  const told = {};
  told.ping = (await docker.ping()).toString();
  const host = { NetworkMode: "none" };
  const container = await docker.createContainer({ Image: image, Cmd: ["claude", "--version"], Labels: labels, HostConfig: host });
  const stream = await container.attach({ stream: true, stdout: true, stderr: true });
  const streams = split(container, stream);
  const waiting = container.wait();
  await container.start();
  told.streams = await streams;
  told.code = (await container.wait()).StatusCode;
  await waiting;
  const { State, Config } = await container.inspect();
  told.inspected = [State.Status, State.ExitCode, Config.Cmd];
  const filters = { label: [process.env.TCK_LABEL] };
  told.listed = (await docker.listContainers({ all: true, filters })).length;
  told.logs = (await container.logs({ stdout: true })).toString("utf8").slice(8);
  await container.remove();

  const reading = await docker.createContainer({
    Image: image, Cmd: ["claude", "-p"], OpenStdin: true, StdinOnce: true, Labels: labels, HostConfig: host,
  });
  const both = await reading.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true });
  const heard = split(reading, both);
  await reading.start();
  both.write("from dockerode");
  both.end();
  told.heard = (await heard)[0];
  told.read = (await reading.wait()).StatusCode;
  await reading.remove({ force: true });
  told.pruned = (await docker.pruneContainers({ filters })).ContainersDeleted ?? [];
  told.missing = await docker.getContainer("nobody").inspect().catch((error) => error.statusCode);
  process.stdout.write(JSON.stringify(told));
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});
