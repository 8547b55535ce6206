// Faults of calls that run beside each other: node calls.mjs MODE
//
// Tools: work{ms,tag} answers after ms; seen{} answers what this server saw (how many ran at once,
// what was cancelled, the lines of the calls).
// plain breaks nothing; reorder answers the newest waiting call first; serial handles one call at a
// time and drops the others; late answers a second after it was cancelled; nocancel does not hear of
// being cancelled; progress sends five proper notifications; progress-noask sends one nobody asked
// for; progress-badtoken invents a token; progress-back goes backwards and repeats itself;
// progress-after sends one after the answer; progress-storm sends 5,000; strictargs refuses a call
// without the member arguments; nullargs refuses arguments that are {}.
//
// Right: calls run side by side and every answer reaches its own caller. A caller that goes away or
// whose time runs out has notifications/cancelled sent with the server's own id; the late answer is
// dropped. No call is sent twice. Progress reaches the caller who asked, under that caller's token,
// never after the answer. arguments is always an object.
import { modes, mode, serve, ok, err, note, text, sleep } from './_rpc.mjs';
modes(['plain', 'reorder', 'serial', 'late', 'nocancel', 'progress', 'progress-noask', 'progress-badtoken', 'progress-back', 'progress-after', 'progress-storm', 'strictargs', 'nullargs']);
const st = { calls: 0, running: 0, maxParallel: 0, cancels: [], lines: [] }, gone = new Set(); let stack = [], busy = false;
const S = (p) => ({ type: 'object', properties: p });
serve({
  tools: [{ name: 'work', description: 'waits', inputSchema: S({ ms: { type: 'integer' }, tag: { type: 'string' } }) }, { name: 'seen', description: 'what this server saw', inputSchema: S({}) }],
  on: (m, line) => { if (m.method === 'notifications/cancelled') { st.cancels.push(m.params?.requestId); gone.add(m.params?.requestId); return true; } if (m.method === 'tools/call') st.lines.push(line.slice(0, 300)); },
  call: async (m) => {
    if (m.params?.name === 'seen') return ok(m.id, text(JSON.stringify(st)));
    const a = m.params?.arguments;
    if (mode === 'strictargs' && a === undefined) return err(m.id, -32602, 'Missing arguments for tool');
    if (mode === 'nullargs' && a && Object.keys(a).length === 0) return err(m.id, -32602, 'takes no arguments');
    if (mode === 'serial' && busy) return; busy = true;
    st.calls++; st.running++; st.maxParallel = Math.max(st.maxParallel, st.running);
    const tok = m.params?._meta?.progressToken, ms = a?.ms ?? 50, P = (p, t = tok) => note('notifications/progress', { progressToken: t, progress: p, total: 5, message: 'step ' + p });
    if (mode === 'progress' && tok !== undefined) for (let i = 1; i <= 5; i++) { P(i); await sleep(ms / 5); }
    if (mode === 'progress-noask') P(1, 'nobody'); if (mode === 'progress-badtoken') P(1, 'tool-call-' + m.id);
    if (mode === 'progress-back' && tok !== undefined) { P(3); P(3); P(1); } if (mode === 'progress-storm' && tok !== undefined) for (let i = 0; i < 5000; i++) P(i);
    if (mode !== 'progress') await sleep(ms);
    st.running--; busy = false;
    const done = () => ok(m.id, text('done ' + (a?.tag ?? '')));
    if (gone.has(m.id)) { if (mode === 'late') { await sleep(1000); done(); } else if (mode === 'nocancel') done(); return; }
    if (mode === 'reorder') { stack.push(done); setTimeout(() => { const f = stack.pop(); f?.(); }, 100); return; }
    done(); if (mode === 'progress-after' && tok !== undefined) P(5);
  },
});
