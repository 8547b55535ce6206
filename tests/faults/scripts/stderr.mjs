// Faults on standard error: node stderr.mjs MODE
//
// flood-start writes 256 KiB before it answers anything; flood-call 256 KiB in a call; flood-nonl 1 MiB
// without a line end; flood-forever 1 MiB a second until its input ends, at most 60 s; binary is not
// UTF-8; secret writes its own token; ansi writes escapes for a terminal; exit-why says why and exits
// before the handshake.
//
// Right: standard error is drained from the first moment on, as bytes, in bounded memory. It is never
// an error by itself. Its end, bounded, masked and escaped, stands in the reason of exit-why. No value
// of the configuration reaches a log.
import { modes, mode, raw, serve, ok, text } from './_rpc.mjs';
modes(['flood-start', 'flood-call', 'flood-nonl', 'flood-forever', 'binary', 'secret', 'ansi', 'exit-why']);
const line = 'WARN something ordinary happened in a chatty library '.repeat(3) + '\n';
const flood = (n) => { for (let i = 0; i < n; i += line.length) raw(line, 2); };
if (mode === 'flood-start') flood(256 << 10);
if (mode === 'flood-nonl') raw('.'.repeat(1 << 20), 2);
if (mode === 'binary') raw(Buffer.from([0xff, 0xfe, 0x80, 0x0a, 0xc3, 0x28, 0x0a]), 2);
if (mode === 'secret') raw(`using token ${process.env.FAULT_TOKEN ?? 'tok_EXAMPLE_0123456789abcdef'}\n`, 2);
if (mode === 'ansi') raw('\x1b[2J\x1b]0;owned\x07\x1b]8;;http://127.0.0.1/\x07click\x1b]8;;\x07\n', 2);
if (mode === 'exit-why') { raw('Error: FAULT_TOKEN is not set. See the manual.\n', 2); process.exit(1); }
if (mode === 'flood-forever') { const t = setInterval(() => flood(100 << 10), 100); setTimeout(() => clearInterval(t), 60000).unref(); t.unref(); }
serve({ call: (m) => { if (mode === 'flood-call') flood(256 << 10); ok(m.id, text('ok')); } });
