// `server.mjs PLACE PORT FRAMING STATE`: a peer on the TypeScript SDK 2.x, with the five tools that every peer has.
// PLACE is the folder that the packages are installed in.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

const [place, port, framing, state] = process.argv.slice(2);
const require = createRequire(join(place, "package.json"));
const { NodeStreamableHTTPServerTransport } = require("@modelcontextprotocol/node");
const { McpServer, fromJsonSchema } = require("@modelcontextprotocol/server");
const { version } = require("./node_modules/@modelcontextprotocol/server/package.json");

// One transparent pixel.
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const text = (text) => ({ type: "text", text });
const object = (properties) =>
  fromJsonSchema({ type: "object", properties, required: Object.keys(properties) });

function peer() {
  const server = new McpServer({ name: "typescript-sdk", version });
  server.registerTool(
    "echo",
    { description: "Repeat a message.", inputSchema: object({ message: { type: "string" } }) },
    ({ message }) => ({ content: [text(`Echo: ${message}`)] }),
  );
  server.registerTool(
    "add",
    {
      description: "Add two integers.",
      inputSchema: object({ a: { type: "integer" }, b: { type: "integer" } }),
    },
    ({ a, b }) => ({ content: [text(String(a + b))] }),
  );
  server.registerTool("fail", { description: "Report a tool error." }, () => ({
    content: [text("this tool always fails")],
    isError: true,
  }));
  server.registerTool(
    "weather",
    {
      description: "Show a structured result.",
      outputSchema: object({
        city: { type: "string" },
        degrees: { type: "number" },
        raining: { type: "boolean" },
        hours: { type: "array", items: { type: "integer" } },
      }),
    },
    () => {
      const weather = { city: "Zürich", degrees: -4.5, raining: false, hours: [6, 12, 18] };
      return { content: [text(JSON.stringify(weather))], structuredContent: weather };
    },
  );
  server.registerTool("picture", { description: "Show one image block and one text block." }, () => ({
    content: [{ type: "image", data: PIXEL, mimeType: "image/png" }, text("one pixel")],
  }));
  return server;
}

const sessions = new Map();

// The transport of a request: that of its session, or a new one.
async function transportOf(request) {
  const known = sessions.get(request.headers["mcp-session-id"]);
  if (known) return known;
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: state === "stateless" ? undefined : randomUUID,
    enableJsonResponse: framing === "json",
    onsessioninitialized: (id) => sessions.set(id, transport),
    onsessionclosed: (id) => sessions.delete(id),
  });
  await peer().connect(transport);
  return transport;
}

createServer(async (request, response) => {
  const transport = await transportOf(request);
  await transport.handleRequest(request, response);
}).listen(Number(port), "127.0.0.1");
