// Very long lines on standard output: node stdout-long.mjs MODE [BYTES]
//
// call answers tools/call with one line of that many bytes (5 MiB); list makes tools/list that long;
// endless answers tools/call with so many bytes (64 MiB) and no line end, and stays; banner writes a
// line of junk first.
//
// Right: one stated limit a message. Over it this call fails with a sentence, memory stays bounded, and
// the session goes on after the line, or anew where the line does not end.
import { modes, mode, arg, raw, serve, ok, text } from './_rpc.mjs';
modes(['call', 'list', 'endless', 'banner']);
const n = Number(arg(3, mode === 'endless' ? 64 << 20 : 5 << 20));
if (mode === 'banner') raw('x'.repeat(n) + '\n');
serve({
  list: mode === 'list' ? (m) => ok(m.id, { tools: [{ name: 'big', description: 'd'.repeat(n), inputSchema: { type: 'object' } }] }) : undefined,
  call: mode === 'list' ? undefined : (m) => {
    if (mode !== 'endless') return ok(m.id, text('a'.repeat(mode === 'banner' ? 10 : n)));
    raw(`{"jsonrpc":"2.0","id":${JSON.stringify(m.id)},"result":{"content":[{"type":"text","text":"`);
    const c = 'a'.repeat(1 << 16); for (let i = 0; i < n; i += c.length) raw(c);
  },
});
