// Things on standard output that are not one JSON-RPC message a line: node stdout-junk.mjs MODE
//
// It serves one tool, echo, and writes the junk of its mode first or around every answer.
//
// Right: a line that is no JSON-RPC message is dropped and counted, and the first is logged with its
// control characters escaped. None ends the session or reaches a caller. A byte order mark, CR, blank
// lines and white space are left out without a word. JSON over several lines is refused, with a
// sentence that names the server and says so.
import { modes, mode, raw, serve, sleep, ok } from './_rpc.mjs';
modes(['banner', 'emoji-banner', 'log-between', 'bom', 'crlf', 'blank-lines', 'pretty', 'two-per-line', 'trailing-space', 'half-line', 'torn-utf8',
  'truncated-last', 'scalar', 'ansi', 'unterminated-banner', 'brace-banner', 'no-jsonrpc', 'batch', 'utf16', 'nul', 'json-not-rpc']);
const start = {
  banner: 'Demo MCP server v1.2.3\nlistening on stdio ...\n', 'emoji-banner': '\u{1F5A5}\uFE0F Server mode: STDIO\n', bom: '\uFEFF',
  'blank-lines': '\n\r\n   \n', scalar: 'true\n42\nnull\n"ready"\n', ansi: '\x1b[32mINFO\x1b[0m ready\r\n', 'unterminated-banner': 'Loading... done. ',
  'brace-banner': '{ server: starting, port: none }\n[INFO] ready\n', nul: '\0\0\0\n', 'json-not-rpc': '{"level":"info","msg":"ready"}\n',
}[mode];
if (start) raw(start);
let chain = Promise.resolve();                     // slow writers must not interleave two answers
const out = (o) => { const s = JSON.stringify(o);
  switch (mode) {
    case 'crlf': return raw(s + '\r\n');
    case 'blank-lines': return raw('\n' + s + '\n\n');
    case 'pretty': return raw(JSON.stringify(o, null, 2) + '\n');
    case 'two-per-line': return raw(s + JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'same line' } }) + '\n');
    case 'trailing-space': return raw(s + '  \n');
    case 'log-between': return raw(`[debug] handled ${o.id}\n${s}\n[debug] done\n`);
    case 'half-line': return chain = chain.then(async () => { for (let i = 0; i < s.length; i += 7) { raw(s.slice(i, i + 7)); await sleep(15); } raw('\n'); });
    case 'torn-utf8': return chain = chain.then(async () => { const b = Buffer.from(s + '\n'); for (const x of b) { raw(Buffer.from([x])); if (x > 127) await sleep(5); } });
    case 'no-jsonrpc': { const { jsonrpc, ...r } = o; return raw(JSON.stringify(r) + '\n'); }
    case 'batch': return raw(JSON.stringify([o]) + '\n');
    case 'utf16': return raw(Buffer.from(s + '\n', 'utf16le'));
    case 'truncated-last': if (o.result?.content) { raw(s.slice(0, s.length / 2)); process.exit(0); } return raw(s + '\n');
    default: return raw(s + '\n');
  } };
const echo = { name: 'echo', description: 'Echo \u00e9\u{1F600}', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
serve({ on: (m) => {
  if (m.id === undefined || !m.method) return;
  const r = { initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'junk', version: '1' } }, ping: {},
    'tools/list': { tools: [echo] }, 'tools/call': { content: [{ type: 'text', text: 'got ' + (m.params?.arguments?.text ?? '') }] } }[m.method];
  out(r ? { jsonrpc: '2.0', id: m.id, result: r } : { jsonrpc: '2.0', id: m.id, error: { code: -32601, message: 'method not found' } });
  return true;
} });
