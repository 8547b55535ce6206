// Faults of the JSON-RPC envelope and of requests to the client: node rpc.mjs MODE
//
// In tools/call unless it says otherwise: id-string answers numeric ids as strings; id-null answers
// with the id null; id-unknown answers an id that nobody sent, then the right one; dup answers twice;
// both sends a result and an error; neither sends none of them; err-data is an error with odd data;
// err-string an error that is a text; early sends a response before any request; req-ping,
// req-sampling, req-roots, req-elicit and req-unknown ask the client and answer only after its reply,
// or 10 s; note-early notifies before it is initialized; note-junk sends an unknown notification of
// 100 KiB; log-storm 2,000 log messages.
//
// Right: ids match exactly, unknown ones and second answers are ignored. An envelope that cannot be
// read fails its call where it can be tied to one, else the call runs into its limit with a sentence.
// ping is answered; every other request is refused with -32601 at once, for silence is a deadlock.
import { modes, mode, send, serve, ok, err, note, text, sleep } from './_rpc.mjs';
modes(['id-string', 'id-null', 'id-unknown', 'dup', 'both', 'neither', 'err-data', 'err-string', 'early', 'req-ping', 'req-sampling', 'req-roots', 'req-elicit', 'req-unknown', 'note-early', 'note-junk', 'log-storm']);
const wait = new Map(); let n = 9000;
const ask = (method, params) => new Promise((res) => { const id = ++n; wait.set(id, res); send({ jsonrpc: '2.0', id, method, params }); setTimeout(() => res({ timeout: true }), 10000); });
if (mode === 'early') ok(1, { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'early', version: '0' } });
if (mode === 'note-early') note('notifications/tools/list_changed');
serve({
  on: (m) => { if (m.method === undefined && wait.has(m.id)) { wait.get(m.id)(m); wait.delete(m.id); return true; } },
  call: async (m) => {
    const r = text('ok');
    switch (mode) {
      case 'id-string': return ok(String(m.id), r);
      case 'id-null': return ok(null, r);
      case 'id-unknown': ok(777777, text('not yours')); return ok(m.id, r);
      case 'dup': ok(m.id, r); return ok(m.id, text('second answer'));
      case 'both': return send({ jsonrpc: '2.0', id: m.id, result: r, error: { code: -32603, message: 'and an error' } });
      case 'neither': return send({ jsonrpc: '2.0', id: m.id });
      case 'err-data': return err(m.id, -32042, 'needs a link', { elicitations: [{ mode: 'url', url: 'https://example.invalid/x' }] });
      case 'err-string': return send({ jsonrpc: '2.0', id: m.id, error: 'it broke' });
      case 'req-ping': case 'req-sampling': case 'req-roots': case 'req-elicit': case 'req-unknown': {
        const a = { 'req-ping': ['ping'], 'req-roots': ['roots/list'], 'req-unknown': ['demo/unknown', {}],
          'req-sampling': ['sampling/createMessage', { messages: [{ role: 'user', content: { type: 'text', text: 'say hi' } }], maxTokens: 10 }],
          'req-elicit': ['elicitation/create', { message: 'Delete 3 rows?', requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] } }] }[mode];
        const t = Date.now(); const rep = await ask(a[0], a[1]);
        return ok(m.id, text(rep.timeout ? 'client never answered' : `client said ${JSON.stringify(rep.error ?? rep.result)} after ${Date.now() - t} ms`, { isError: !!rep.timeout }));
      }
      case 'note-junk': note('notifications/demo/unknown', { blob: 'z'.repeat(100 << 10) }); return ok(m.id, r);
      case 'log-storm': for (let i = 0; i < 2000; i++) note('notifications/message', { level: 'debug', data: 'line ' + i }); return ok(m.id, r);
      default: return ok(m.id, r);
    }
  },
});
