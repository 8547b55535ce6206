// How a server is launched: node env-echo.mjs [ARGUMENTS]
//
// launch answers the arguments, the working directory, the names of the environment, the values of the
// variables that begin with FAULT_, and which of the three streams are terminals. kids starts a process
// of its own.
//
// Right: ${NAME} is replaced from the allowed sources alone; one that is not set holds the server back
// with a sentence that names it; $$ stands for a dollar sign; a value is not expanded again. The
// child's environment is a stated part of the host's and what its entry declares, without the secrets
// of anybody else. Arguments arrive byte for byte, with no shell between.
import { serve, ok, text } from './_rpc.mjs';
serve({ tools: ['launch', 'kids'].map((name) => ({ name, description: name, inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: name === 'launch' } })),
  call: async (m) => {
    if (m.params?.name === 'kids') { const { spawn } = await import('node:child_process'); const p = spawn('cat', [], { stdio: ['ignore', 'ignore', 'ignore'] }); return ok(m.id, text('child ' + p.pid)); }
    const E = process.env; ok(m.id, text(JSON.stringify({ argv: process.argv.slice(2), cwd: process.cwd(), envNames: Object.keys(E).sort(), fault: Object.fromEntries(Object.entries(E).filter(([k]) => k.startsWith('FAULT_'))), tty: [0, 1, 2].map((i) => !!([process.stdin, process.stdout, process.stderr][i].isTTY)) })));
  } });
