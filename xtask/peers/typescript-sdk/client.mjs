// `client.mjs PLACE http URL` or `client.mjs PLACE stdio PROGRAM ARGS...`: the TypeScript SDK 2.x on the conformance
// server. Prints a line of JSON for each step. PLACE is the folder that the packages are installed in.
import { createRequire } from "node:module";
import { join } from "node:path";

const [place, link, address, ...rest] = process.argv.slice(2);
const require = createRequire(join(place, "package.json"));
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");

const LIMIT = 10000;

const report = (step, fields) => console.log(JSON.stringify({ step, ...fields }));
const textOf = ({ content }) =>
  content
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("\n");

// Waits until so many notifications have come: they may be handled after the answer.
async function reached(notices, count) {
  for (const end = Date.now() + LIMIT; notices.length < count && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return notices;
}

const transport =
  link === "http"
    ? new StreamableHTTPClientTransport(new URL(address))
    : new StdioClientTransport({ command: address, args: rest });
const client = new Client({ name: "client", version: "1" }, { versionNegotiation: { mode: "auto" } });
const log = [];
const progress = [];
// A handler of its own: `onprogress` is forgotten with the answer, before reports that were read together with it are
// handled. Given all the same, it asks for the reports.
client.setNotificationHandler("notifications/progress", ({ params }) => {
  progress.push([params.progress, params.total, params.message]);
});
client.setNotificationHandler("notifications/message", ({ params }) => {
  log.push([params.level, params.data]);
});
const call = (name, args = {}, options = {}) =>
  client.callTool({ name, arguments: args }, { timeout: LIMIT, ...options });

await client.connect(transport, { timeout: LIMIT });
report("initialize", {
  protocol_version: client.getNegotiatedProtocolVersion(),
  server_info: client.getServerVersion(),
});
await client.ping({ timeout: LIMIT });
report("ping");
const { tools } = await client.listTools(undefined, { timeout: LIMIT });
report("list", { tools: tools.map(({ name }) => name) });
report("text", { text: textOf(await call("echo", { message: "grüß dich – 你好 👋" })) });
report("structured", { structured: (await call("weather")).structuredContent });
const failed = await call("test_error_handling");
report("error", { is_error: failed.isError, text: textOf(failed) });
await call("missing").catch(({ code }) => report("missing", { code }));
let result = await call("test_tool_with_progress", {}, { onprogress: () => {} });
report("progress", { text: textOf(result), progress: await reached(progress, 3) });
result = await call("test_tool_with_logging");
report("logging", { text: textOf(result), log: await reached(log, 3) });
const [image] = (await call("test_image_content")).content;
report("image", { media_type: image.mimeType, data: image.data });
if (link === "http") await transport.terminateSession();
await client.close();
report("close");
