// Faults over HTTP: node http-faults.mjs [PORT]
//
// The first line of standard output is {"url":"http://127.0.0.1:PORT","tls":null or an address}. There
// is one MCP endpoint for every fault at /m/FAULT, see F below. /seen answers what arrived (method,
// path, names of the headers, whether a credential came along), /reset forgets it, /list names the
// faults. It listens on the loopback alone, with TLS too when FAULT_TLS names a directory with the
// files cert.pem and key.pem, and ends with its standard input.
//
// Right: every request has a limit for its headers, its body and the whole. 404 for a session of ours
// is answered with one new session and one repetition, as 400 and 503 are when they say session; 401
// and 403 make the server wait for credentials, are never passed on as a refusal of the caller's own,
// and are not tried over and over; 429 and 503 pass on Retry-After within a cap; a page of HTML
// becomes one bounded sentence; 307 and 308 are followed within the origin, no other redirect is, and
// no credential leaves the origin. A stream that ends without its answer fails the call at once, or is
// resumed where it gave ids. Content types are compared without parameters. Sizes are bounded after
// decompression.
import http from 'node:http'; import https from 'node:https'; import zlib from 'node:zlib';
import { readFileSync } from 'node:fs'; import { join } from 'node:path'; import { randomUUID } from 'node:crypto';
const sleep = (ms) => new Promise((r) => setTimeout(r, ms)), seen = [], sessions = new Set(), count = {};
// A session belongs to the fault that opened it.
const forget = (c) => { for (const s of sessions) if (s.startsWith(c.name + '-')) sessions.delete(s); };
const tool = { name: 'echo', description: 'Returns its text', inputSchema: { type: 'object', properties: { text: { type: 'string' } } }, annotations: { readOnlyHint: true } };
const answer = (m) => ({ jsonrpc: '2.0', id: m.id, ...({ initialize: { result: { protocolVersion: m.params?.protocolVersion ?? '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'http-fault', version: '1' } } }, ping: { result: {} }, 'tools/list': { result: { tools: [tool] } },
  'tools/call': { result: { content: [{ type: 'text', text: 'got ' + (m.params?.arguments?.text ?? '') }] } } }[m.method] ?? { error: { code: -32601, message: 'method not found: ' + m.method } }) });
const json = (res, o, code = 200, h = {}) => { const b = Buffer.from(JSON.stringify(o)); res.writeHead(code, { 'content-type': 'application/json', 'content-length': b.length, ...h }); res.end(b); };
const plain = (res, code, body, h = {}) => { res.writeHead(code, { 'content-type': 'text/plain', ...h }); res.end(body); };
const html = (res, code) => plain(res, code, '<!doctype html><html><title>Bad gateway</title><body><script>alert(1)</script>' + 'x'.repeat(20000) + '</body></html>', { 'content-type': 'text/html; charset=utf-8' });
const sse = (res, h = {}) => { res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...h }); res.flushHeaders(); };
const ev = (o, id) => `${id ? `id: ${id}\n` : ''}event: message\ndata: ${JSON.stringify(o)}\n\n`;
// c = {req,res,m(message),body,n(times this fault was used for tools/call),isCall}; return true when handled, else the good answer goes out
const onCall = (f) => (c) => (c.isCall ? (f(c), true) : false);
const F = {
  good: () => false, 'good-sse': (c) => (sse(c.res), c.res.end(ev(answer(c.m))), true),
  'session': (c) => sess(c, 404), 'session-expire': (c) => { if (c.isCall && c.n === 2) forget(c); return sess(c, 404); }, 'session-flap': (c) => { if (c.isCall) forget(c); return sess(c, 404); },
  'session-400': (c) => { if (c.isCall && c.n === 2) forget(c); return sess(c, 400); }, 'session-503': (c) => { if (c.isCall && c.n === 2) forget(c); return sess(c, 503); },
  'always-404': (c) => (plain(c.res, 404, 'Not Found'), true), 'get-405': (c) => false,
  '401': (c) => (plain(c.res, 401, '', { 'www-authenticate': 'Bearer realm="demo", error="invalid_token", resource_metadata="http://127.0.0.1:1/.well-known/oauth-protected-resource"' }), true), '401-bare': (c) => (plain(c.res, 401, ''), true), '401-call': onCall((c) => plain(c.res, 401, '', { 'www-authenticate': 'Bearer error="invalid_token"' })),
  '403': (c) => (plain(c.res, 403, 'forbidden'), true), '403-scope': onCall((c) => plain(c.res, 403, '', { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' })), '402': onCall((c) => json(c.res, { error: 'payment required' }, 402)),
  '429': onCall((c) => (c.n < 3 ? plain(c.res, 429, 'slow down', { 'retry-after': '1' }) : json(c.res, answer(c.m)))), '429-long': onCall((c) => plain(c.res, 429, '', { 'retry-after': '86400' })),
  '500': onCall((c) => plain(c.res, 500, 'boom')), '500-rpc': onCall((c) => json(c.res, { jsonrpc: '2.0', id: c.m.id, error: { code: -32603, message: 'inside a 500' } }, 500)), '502-html': onCall((c) => html(c.res, 502)), '503-once': onCall((c) => (c.n === 1 ? plain(c.res, 503, '', { 'retry-after': '1' }) : json(c.res, answer(c.m)))),
  'redirect-301': (c) => red(c, 301, '/m/good'), 'redirect-302': (c) => red(c, 302, '/m/good'), 'redirect-307': (c) => red(c, 307, '/m/good'), 'redirect-308': (c) => red(c, 308, '/m/good'), 'redirect-slash': (c) => (c.req.url.endsWith('/') ? false : red(c, 307, '/m/redirect-slash/')), 'redirect-loop': (c) => red(c, 307, '/m/redirect-loop'), 'redirect-cross': (c) => red(c, 307, `http://localhost:${port}/m/good`), 'redirect-meta': (c) => red(c, 307, 'http://127.0.0.2:1/latest/'), 'redirect-file': (c) => red(c, 307, 'file:///etc/hostname'), 'redirect-none': (c) => (c.res.writeHead(307), c.res.end(), true),
  'sse-cut': onCall((c) => { sse(c.res); c.res.write(ev(answer(c.m)).slice(0, 30)); setTimeout(() => c.res.destroy(), 50); }), 'sse-end': onCall((c) => { sse(c.res); c.res.end(': bye\n\n'); }), 'sse-never': onCall((c) => { sse(c.res); const t = setInterval(() => c.res.write(': ping\n\n'), 1000); c.res.on('close', () => clearInterval(t)); }), 'sse-silent': onCall((c) => sse(c.res)),
  'sse-resume': (c) => { if (c.req.method === 'GET' && c.req.headers['last-event-id']) { sse(c.res); c.res.end(ev(held ?? {}, 'e2')); return true; } if (c.isCall) { held = answer(c.m); sse(c.res); c.res.write('id: e1\nretry: 200\ndata: \n\n'); setTimeout(() => c.res.destroy(), 50); return true; } return false; },
  'sse-resume-fail': (c) => { if (c.req.method === 'GET') { plain(c.res, 500, ''); return true; } if (c.isCall) { sse(c.res); c.res.write('id: e1\nretry: 100\ndata: \n\n'); setTimeout(() => c.res.destroy(), 50); return true; } return false; },
  'sse-retry-huge': onCall((c) => { sse(c.res); c.res.write('id: e1\nretry: 86400000\ndata: \n\n'); setTimeout(() => c.res.destroy(), 50); }), 'sse-crlf': onCall((c) => { sse(c.res); c.res.end(ev(answer(c.m)).replace(/\n/g, '\r\n')); }), 'sse-bom': onCall((c) => { sse(c.res); c.res.end('\uFEFF' + ev(answer(c.m))); }), 'sse-split': onCall((c) => { sse(c.res); c.res.end('data: ' + JSON.stringify(answer(c.m), null, 1).split('\n').join('\ndata: ') + '\n\n'); }),
  'sse-junk': onCall((c) => { sse(c.res); c.res.write('data: not json\n\nevent: endpoint\ndata: /old\n\nevent: ping\ndata: {}\n\n'); c.res.end(ev(answer(c.m))); }), 'sse-noblank': onCall((c) => { sse(c.res); c.res.end(`data: ${JSON.stringify(answer(c.m))}`); }), 'sse-drip': onCall(async (c) => { sse(c.res); for (const ch of ev(answer(c.m))) { c.res.write(ch); await sleep(5); } c.res.end(); }), 'sse-wrong-id': onCall((c) => { sse(c.res); c.res.write(ev({ ...answer(c.m), id: 424242 })); c.res.end(ev(answer(c.m))); }),
  'sse-big': onCall((c) => { sse(c.res); const a = answer(c.m); a.result.content[0].text = 'z'.repeat(20 << 20); c.res.end(ev(a)); }), 'sse-endless': onCall((c) => { sse(c.res); let n = 0; const go = () => { while (n < 256 && c.res.write('data: ' + 'z'.repeat(1 << 20))) n++; if (n >= 256) c.res.end(); }; c.res.on('drain', () => { n++; go(); }); go(); }),
  'ct-html': (c) => (html(c.res, 200), true), 'ct-none': onCall((c) => { const b = JSON.stringify(answer(c.m)); c.res.writeHead(200, {}); c.res.end(b); }), 'ct-charset': (c) => (json(c.res, answer(c.m), 200, { 'content-type': 'application/json; charset=utf-8' }), true), 'ct-upper': (c) => (json(c.res, answer(c.m), 200, { 'content-type': 'Application/JSON;Charset="UTF-8"' }), true), 'ct-sse-charset': (c) => (sse(c.res, { 'content-type': 'text/event-stream;charset=utf-8' }), c.res.end(ev(answer(c.m))), true), 'ct-problem': onCall((c) => json(c.res, { type: 'about:blank', title: 'nope', status: 422 }, 422, { 'content-type': 'application/problem+json' })),
  'json-as-sse': onCall((c) => { sse(c.res); c.res.end(JSON.stringify(answer(c.m))); }), 'sse-as-json': onCall((c) => plain(c.res, 200, ev(answer(c.m)), { 'content-type': 'application/json' })), 'text-json': onCall((c) => plain(c.res, 200, JSON.stringify(answer(c.m)))), 'empty-200': onCall((c) => plain(c.res, 200, '', { 'content-type': 'application/json' })), '202-call': onCall((c) => plain(c.res, 202, '')), '204-call': onCall((c) => { c.res.writeHead(204); c.res.end(); }), 'json-null': onCall((c) => json(c.res, null)), 'json-array': onCall((c) => json(c.res, [answer(c.m)])), 'json-trail': onCall((c) => plain(c.res, 200, JSON.stringify(answer(c.m)) + '\n<!-- served by proxy -->', { 'content-type': 'application/json' })), 'json-bom': onCall((c) => plain(c.res, 200, '\uFEFF' + JSON.stringify(answer(c.m)), { 'content-type': 'application/json' })),
  'note-text': (c) => (c.m?.id === undefined && c.m?.method ? (plain(c.res, 202, 'Accepted', { 'content-type': 'text/plain; charset=UTF-8' }), true) : false), 'note-200': (c) => (c.m?.id === undefined && c.m?.method ? (json(c.res, { ok: true }), true) : false), 'note-500': (c) => (c.m?.id === undefined && c.m?.method ? (plain(c.res, 500, ''), true) : false),
  gzip: (c) => zip(c, zlib.gzipSync, 'gzip'), 'gzip-sse': onCall((c) => { sse(c.res, { 'content-encoding': 'gzip' }); const g = zlib.createGzip(); g.pipe(c.res); g.end(ev(answer(c.m))); }), brotli: (c) => zip(c, zlib.brotliCompressSync, 'br'), 'gzip-bad': onCall((c) => plain(c.res, 200, 'this is not gzip', { 'content-encoding': 'gzip', 'content-type': 'application/json' })), 'gzip-bomb': onCall((c) => { const b = zlib.gzipSync(Buffer.concat([Buffer.from('"'), Buffer.alloc(200 << 20, 0x61), Buffer.from('"')])); c.res.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json', 'content-length': b.length }); c.res.end(b); }),
  'slow-headers': onCall(async (c) => { await sleep(Number(c.q.get('s') ?? 70) * 1000); json(c.res, answer(c.m)); }), 'slow-init': async (c) => { if (c.m?.method === 'initialize') await sleep(Number(c.q.get('s') ?? 70) * 1000); return false; }, 'slow-body': onCall(async (c) => { const b = JSON.stringify(answer(c.m)); c.res.writeHead(200, { 'content-type': 'application/json' }); for (const ch of b) { c.res.write(ch); await sleep(1000); } c.res.end(); }), hang: onCall(() => {}), 'hang-init': (c) => true, reset: onCall((c) => c.req.socket.resetAndDestroy()), 'reset-init': (c) => (c.req.socket.resetAndDestroy(), true), // Nothing is kept open but for the call: one that is reset on a connection used before may be sent again.
  'reset-once': (c) => { if (!c.isCall) { c.res.setHeader('connection', 'close'); return false; } if (c.n === 1) c.req.socket.resetAndDestroy(); else json(c.res, answer(c.m)); return true; },
  'short-body': onCall((c) => { c.res.writeHead(200, { 'content-type': 'application/json', 'content-length': 5000 }); c.res.write(JSON.stringify(answer(c.m)).slice(0, 40)); setTimeout(() => c.res.destroy(), 50); }), 'bad-chunk': onCall((c) => { c.req.socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n{}\r\n'); }), 'bad-status': onCall((c) => c.req.socket.end('HTP/9 banana\r\n\r\n')), 'big-header': onCall((c) => { c.req.socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-big: ' + 'h'.repeat(2 << 20) + '\r\n\r\n{}'); }), 'big-json': onCall((c) => { const a = answer(c.m); a.result.content[0].text = 'z'.repeat(Number(c.q.get('mb') ?? 20) << 20); json(c.res, a); }),
  'get-flood': (c) => { if (c.req.method !== 'GET') return false; sse(c.res); let k = 0; const t = setInterval(() => { for (let i = 0; i < 20; i++) c.res.write(ev({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })); if (++k > 100) { clearInterval(t); c.res.end(); } }, 50); c.res.on('close', () => clearInterval(t)); return true; }, 'get-drop': (c) => { if (c.req.method !== 'GET') return false; sse(c.res); setTimeout(() => c.res.destroy(), 20); return true; }, 'get-200-json': (c) => (c.req.method === 'GET' ? (json(c.res, { hello: 1 }), true) : false),
  'ver-400': (c) => (c.req.headers['mcp-protocol-version'] && c.req.headers['mcp-protocol-version'] !== '2024-11-05' ? (json(c.res, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: Unsupported protocol version (supported versions: 2024-11-05)' } }, 400), true) : false), 'need-accept': (c) => (c.req.method === 'POST' && !/application\/json.*text\/event-stream|text\/event-stream.*application\/json/.test(c.req.headers.accept ?? '') ? (json(c.res, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Not Acceptable' } }, 406), true) : false), 'cookie': (c) => { c.res.setHeader('set-cookie', 'sid=abc; Path=/; HttpOnly'); return false; }, 'delete-hang': (c) => c.req.method === 'DELETE',
};
let held, port, tlsPort;
function red(c, code, to) { c.res.writeHead(code, { location: to }); c.res.end(); return true; }
function zip(c, f, name) { const b = f(Buffer.from(JSON.stringify(answer(c.m)))); c.res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': name, 'content-length': b.length }); c.res.end(b); return true; }
function sess(c, code) {
  if (c.req.method === 'GET') return plain(c.res, 405, '', { allow: 'POST' }), true;
  if (c.m?.method === 'server/discover') return false;
  if (c.m?.method === 'initialize') { const s = c.name + '-' + randomUUID(); sessions.add(s); json(c.res, answer(c.m), 200, { 'mcp-session-id': s }); return true; }
  if (sessions.has(c.req.headers['mcp-session-id'])) return false;
  json(c.res, { jsonrpc: '2.0', id: null, error: { code: -32001, message: code === 400 ? 'Bad Request: No valid session ID' : 'Session not found' } }, code); return true;
}
async function handle(req, res) {
  const u = new URL(req.url, 'http://x'), chunks = []; for await (const b of req) chunks.push(b);
  const body = Buffer.concat(chunks).toString();
  if (u.pathname === '/list') return json(res, Object.keys(F)); if (u.pathname === '/seen') return json(res, seen); if (u.pathname === '/reset') { seen.length = 0; for (const k in count) delete count[k]; return json(res, true); }
  const name = u.pathname.split('/')[2]; let m; try { m = JSON.parse(body); } catch {}
  seen.push({ at: Date.now(), method: req.method, path: u.pathname, host: req.headers.host, rpc: m?.method, id: m?.id, auth: !!req.headers.authorization, apiKey: !!req.headers['x-api-key'], headers: Object.keys(req.headers).sort() }); if (seen.length > 5000) seen.shift();
  if (!u.pathname.startsWith('/m/') || !F[name]) return plain(res, 404, 'no such fault');
  const isCall = m?.method === 'tools/call'; if (isCall) count[name] = (count[name] ?? 0) + 1;
  const c = { req, res, m, body, name, q: u.searchParams, isCall, n: count[name] ?? 0 };
  if ((await F[name](c)) === true) return;
  if (req.method === 'DELETE') return plain(res, 200, ''); if (req.method === 'GET') return plain(res, 405, '', { allow: 'POST' }); if (!m || typeof m !== 'object') return json(res, { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'parse error' } }, 400);
  if (m.id === undefined || m.method === undefined) return (res.writeHead(202), res.end()); json(res, answer(m));
}
const safe = (req, res) => handle(req, res).catch((e) => { if (!res.headersSent) plain(res, 500, String(e)); });
const srv = http.createServer(safe); srv.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => { port = srv.address().port; startTls(); });
function startTls() {
  const say = () => console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, tls: tlsPort ? `https://127.0.0.1:${tlsPort}` : null }));
  const dir = process.env.FAULT_TLS;
  if (!dir) return say();
  const o = { key: readFileSync(join(dir, 'key.pem')), cert: readFileSync(join(dir, 'cert.pem')) };
  const t = https.createServer(o, safe);
  t.listen(0, '127.0.0.1', () => { tlsPort = t.address().port; say(); });
}
process.stdin.on('end', () => process.exit(0)); process.stdin.resume();          // stops with its parent
setTimeout(() => process.exit(0), 30 * 60 * 1000).unref();
