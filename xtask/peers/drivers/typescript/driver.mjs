// `driver.mjs PLACE call URL TOOL ARGS`: one call with the official TypeScript SDK, its outcome as one line of JSON.
// PLACE is the folder that the packages are installed in.
import { createRequire } from "node:module";
import { join } from "node:path";

const [place, , url, tool, args] = process.argv.slice(2);
const require = createRequire(join(place, "package.json"));
const { Client, ProtocolError, SdkError, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");

const LIMIT = 3000;

const client = new Client({ name: "driver", version: "1" }, { versionNegotiation: { mode: "legacy" } });
client.onerror = () => {};

function textOf(result) {
  const texts = result.content.filter((block) => block.type === "text").map((block) => block.text);
  // Half a surrogate pair cannot be printed as JSON that everybody reads.
  return texts.filter((text) => text !== "").join("\n").toWellFormed();
}

async function call() {
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport, { timeout: LIMIT });
  const result = await client.callTool(
    { name: tool, arguments: JSON.parse(args) },
    { timeout: LIMIT },
  );
  return { outcome: result.isError ? "tool_error" : "result", text: textOf(result) };
}

function failure(error) {
  if (error instanceof ProtocolError) {
    return { outcome: "rpc_error", code: error.code, message: error.message };
  }
  const late = error instanceof SdkError && error.code === "REQUEST_TIMEOUT";
  return { outcome: "failed", kind: late ? "deadline" : "other", message: String(error).slice(0, 500) };
}

const outcome = await call().catch(failure);
process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit(0));
