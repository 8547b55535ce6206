// What the fault servers share; no dependencies, Node 18 or newer.
//
// serve({tools, call, init, list, caps, on, stay}) runs a plain, correct MCP server on the standard
// streams, of the era with a handshake: it answers -32601 to server/discover. Every script overrides
// only the part that it breaks.
import { createInterface } from 'node:readline';
import { writeSync } from 'node:fs';
export const mode = process.argv[2] || '';
export const arg = (n, d) => process.argv[n] ?? d;
export function modes(list) {
  if (mode === '--list' || !list.includes(mode)) {
    process.stderr.write(`usage: node ${process.argv[1].split('/').pop()} MODE   modes: ${list.join(' ')}\n`);
    process.exit(mode === '--list' ? 0 : 2);
  }
}
// raw(): synchronous write that copes with EAGAIN, so nothing is lost when we exit right after it.
export function raw(s, fd = 1) {
  let b = Buffer.isBuffer(s) ? s : Buffer.from(s);
  while (b.length) {
    try { b = b.subarray(writeSync(fd, b)); }
    catch (e) { if (e.code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); else if (e.code === 'EPIPE') process.exit(0); else throw e; }
  }
}
export const send = (o) => raw(JSON.stringify(o) + '\n');
export const ok = (id, result) => send({ jsonrpc: '2.0', id, result });
export const err = (id, code, message, data) => send({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
export const note = (method, params) => send({ jsonrpc: '2.0', method, ...(params ? { params } : {}) });
export const text = (t, more = {}) => ({ content: [{ type: 'text', text: t }], ...more });
export const echo = { name: 'echo', description: 'Returns its text', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
export const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
export function serve(o = {}) {
  const tools = o.tools ?? [echo];
  const rl = createInterface({ input: process.stdin, crlfDelay: Infinity });
  rl.on('line', async (line) => {
    if (!line.trim()) return;
    let m; try { m = JSON.parse(line); } catch { return err(null, -32700, 'parse error'); }
    if (o.on && (await o.on(m, line)) === true) return;         // true = handled
    if (m.method === undefined) return;                           // a response to our own request
    if (m.id === undefined) return;                               // a notification
    switch (m.method) {
      case 'initialize': return ok(m.id, o.init ? o.init(m) : { protocolVersion: m.params?.protocolVersion ?? '2025-06-18', capabilities: o.caps ?? { tools: { listChanged: true } }, serverInfo: { name: 'fault', version: '1.0.0' } });
      case 'ping': return ok(m.id, {});
      case 'tools/list': return o.list ? o.list(m) : ok(m.id, { tools });
      case 'tools/call': return o.call ? o.call(m) : ok(m.id, text(String(m.params?.arguments?.text ?? 'ok')));
      default: return err(m.id, -32601, `method not found: ${m.method}`);
    }
  });
  rl.on('close', () => { if (!o.stay) process.exit(0); });
  return rl;
}
