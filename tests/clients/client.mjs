// One client of the protocol, as its library makes it: connects as the first
// argument says, lists, calls and is refused, and prints what it saw as JSON.
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const spec = JSON.parse(process.argv[2]);
const about = { name: 'clients-test', version: '1.0.0' };
const [Client, Stdio, Http] = spec.library === 'sdk' ? [Client1, Stdio1, Http1] : [Client2, Stdio2, Http2];

const options = spec.library === 'sdk' ? {} : { versionNegotiation: { mode: spec.era } };
const transport = spec.url
  ? new Http(new URL(spec.url), { requestInit: { headers: { Authorization: `Bearer ${spec.token}` } } })
  : new Stdio({ command: spec.command, args: spec.args, stderr: 'inherit' });

// The first library tells its transport which version was agreed on, and nobody else.
let agreed;
const tell = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => {
  agreed = version;
  tell?.(version);
};

const client = new Client(about, options);
await client.connect(transport);

const version = () => client.getNegotiatedProtocolVersion?.() ?? agreed;

// The first library takes the shape of a result between the two.
const call = (params, options) =>
  spec.library === 'sdk' ? client.callTool(params, undefined, options) : client.callTool(params, options);

async function answer(params, options) {
  try {
    return { result: await call(params, options) };
  } catch (error) {
    return { code: error.code, message: error.message };
  }
}

async function looks() {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools(cursor ? { cursor } : {});
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor);
  const calls = [];
  for (const params of spec.calls) {
    calls.push(await answer(params));
  }
  return {
    version: version(),
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
    tools: tools.map(({ name, annotations }) => ({ name, annotations })),
    calls,
  };
}

async function waits() {
  const heard = [];
  const stop = new AbortController();
  const stopped = await answer(spec.waits.forever, {
    signal: stop.signal,
    onprogress: (progress) => {
      heard.push(progress);
      if (progress.progress === progress.total) {
        stop.abort('no longer wanted');
      }
    },
  });
  return {
    version: version(),
    heard,
    cancelled: stopped.result === undefined && stop.signal.aborted,
    after: await answer(spec.waits.after),
  };
}

process.stdout.write(JSON.stringify(await (spec.waits ? waits() : looks())) + '\n');
if (spec.waits) {
  // Whoever started this looks first at what became of the call.
  for await (const _ of process.stdin);
}
await client.close();
