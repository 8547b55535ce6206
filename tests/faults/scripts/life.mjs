// Faults of a process's life: node life.mjs MODE [N]
//
// exit-0, exit-3 and exit-sig end at once; slow-start waits N s (70) before it reads; hang-init,
// hang-list and hang-call never answer that request; crash-call exits with 9 in a call;
// die-after-call exits with 0 after its first answer; die-idle exits N s (2) after the handshake;
// ignore-term ignores SIGTERM and the end of its input; slow-exit takes N s (4) after the end of its
// input; close-stdout closes its output in a call and stays; close-stdin closes its input and stays;
// grandchild is a wrapper: the real server, grandchild-inner, is a child that shares the pipes and
// ignores the end of its input; flap exits after every handshake; spin burns CPU after the end of its
// input.
//
// Right: every child has a process group of its own. Every wait (start, list, call) is bounded, and
// its end is a sentence that names the server, the limit or the exit status, and the last words on
// standard error. Calls in flight fail at once when the process or its output ends. It is started
// again after growing delays, its tools stay listed meanwhile and refuse. No call is repeated. To stop
// is to close its input, wait, SIGTERM the group, wait, SIGKILL the group. One bad server never stops
// the others, or the start of the product.
import { modes, mode, arg, raw, serve, ok, text, sleep } from './_rpc.mjs';
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
modes(['exit-0', 'exit-3', 'exit-sig', 'slow-start', 'hang-init', 'hang-list', 'hang-call', 'crash-call', 'die-after-call', 'die-idle', 'ignore-term', 'slow-exit', 'close-stdout', 'close-stdin', 'grandchild', 'grandchild-inner', 'flap', 'spin']);
const stay = () => setInterval(() => {}, 1000);
setTimeout(() => process.exit(99), 180000).unref();                 // safety: no test leaves one for ever
if (mode === 'exit-0') process.exit(0);
if (mode === 'exit-3') { raw('fatal: cannot open database\n', 2); process.exit(3); }
if (mode === 'exit-sig') process.kill(process.pid, 'SIGKILL');
if (mode === 'slow-start') await sleep(1000 * Number(arg(3, 70)));
if (mode === 'ignore-term' || mode === 'grandchild-inner') { process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); stay(); setTimeout(() => process.exit(98), 120000); }
if (mode === 'spin') process.stdin.on('end', () => { const t = Date.now(); while (Date.now() - t < 20000); process.exit(0); });
if (mode === 'grandchild') {
  const c = spawn(process.execPath, [process.argv[1], 'grandchild-inner'], { stdio: 'inherit' });
  raw(`wrapper ${process.pid} inner ${c.pid}\n`, 2); stay();
} else serve({
  stay: ['ignore-term', 'slow-exit', 'close-stdout', 'close-stdin', 'grandchild-inner', 'spin'].includes(mode),
  on: (m) => {
    if (mode === 'hang-init' && m.method === 'initialize') return true;
    if (mode === 'hang-list' && m.method === 'tools/list') return true;
    if (mode === 'hang-call' && m.method === 'tools/call') return true;
    if (mode === 'die-idle' && m.method === 'notifications/initialized') setTimeout(() => process.exit(7), 1000 * Number(arg(3, 2)));
    if (mode === 'flap' && m.method === 'notifications/initialized') setTimeout(() => process.exit(5), 300);
    if (mode === 'close-stdin' && m.method === 'notifications/initialized') { process.stdin.destroy(); stay(); }
  },
  call: (m) => {
    if (mode === 'crash-call') { raw('panic: runtime error\n', 2); process.exit(9); }
    if (mode === 'close-stdout') { closeSync(1); stay(); return; }
    ok(m.id, text('pid ' + process.pid));
    if (mode === 'die-after-call') process.exit(0);
  },
});
if (mode === 'slow-exit') process.stdin.on('end', () => setTimeout(() => process.exit(0), 1000 * Number(arg(3, 4))));
