// Uses the client of openapi-fetch with the types that openapi-typescript generates:
// it creates, reads and is refused, and writes what it saw.
import createClient from "openapi-fetch";
import type { components, paths } from "./document.js";

// What of node is used; its types are no part of this test.
declare const process: { argv: string[]; stdout: { write(text: string): void } };

const [url, token, number] = process.argv.slice(2);
const big = Number(number);
const client = createClient<paths>({ baseUrl: url!, headers: { Authorization: `Bearer ${token}` } });

type Problem = components["schemas"]["Problem"];

// told answers a part of a refusal; each violation is its pointer and its keyword.
function told(p: Problem | undefined) {
  if (p === undefined) throw new Error("it was not refused");
  return { status: p.status, code: p.code, base: p.base, violations: p.violations?.map((v) => `${v.pointer} ${v.keyword}`) };
}

const where = { path: { project: "WEB" } };
const made = await client.POST("/projects/{project}/tickets", {
  params: where,
  body: { title: "login loops", kind: "bug", labels: ["a"], external: big, facts: { hours: 3 }, steps: [{ text: "sign in", steps: [{ text: "look" }] }] },
});
if (made.data === undefined) throw new Error(`file_ticket: ${JSON.stringify(made.error)}`);
const { ticket, labels } = made.data;
const untitled = await client.POST("/projects/{project}/tickets", { params: where, body: { title: "", kind: "bug" } });

const found: { name: string; after: number }[] = [];
let cursor: string | undefined;
do {
  const page = await client.GET("/projects/{project}/tickets", {
    params: { path: { project: "W&B ä" }, query: { label: ["a", "b, c", "d&e"], number: [1, 2], limit: 2, after: big, cursor } },
  });
  if (page.data === undefined) throw new Error(`find_tickets: ${JSON.stringify(page.error)}`);
  found.push(...page.data.items.map(({ name, after }) => ({ name, after })));
  cursor = page.data.next_cursor;
} while (cursor !== undefined);

const invalid = await client.GET("/projects/{project}/tickets", { params: { ...where, query: { cursor: "%%%" } } });
const missing = await client.GET("/projects/{project}/tickets", { params: { path: { project: "NONE" } } });
const full = await client.DELETE("/boxes/{number}", { params: { path: { number: 409 } } });

const weighed = await client.POST("/servers/scales/tools/weigh", { body: { grams: 0.30000000000000004, copies: big } });
if (weighed.data?.structuredContent === undefined) throw new Error(`weigh: ${JSON.stringify(weighed.error)}`);
const broken = await client.POST("/servers/scales/tools/break", { body: {} });
const nobody = createClient<paths>({ baseUrl: url!, headers: { Authorization: "Bearer none" } });
const stranger = await nobody.GET("/projects/{project}/tickets", { params: where });

// The types know which refusals each operation has.
type Refusal<P extends keyof paths, M extends keyof paths[P], S extends number> =
  paths[P][M] extends { responses: { [status in S]: { content: { "application/problem+json": infer B } } } } ? B : never;
const absent: Refusal<"/projects/{project}/tickets", "get", 404> | undefined = missing.error;
const taken: Refusal<"/boxes/{number}", "delete", 409> | undefined = full.error;
const words: Refusal<"/servers/scales/tools/break", "post", 502> | undefined = broken.error;
const unknown: Refusal<"/projects/{project}/tickets", "get", 401> | undefined = stranger.error;

process.stdout.write(
  JSON.stringify({
    created: {
      project: ticket.project, title: ticket.title, kind: ticket.kind, labels, external: ticket.external, priority: ticket.priority, step: ticket.steps?.[0]?.text,
    },
    untitled: told(untitled.error),
    found,
    invalid: told(invalid.error),
    missing: told(absent),
    full: told(taken),
    weighed: { ...weighed.data.structuredContent, text: weighed.data.content[0]?.text },
    broken: told(words),
    stranger: told(unknown),
  }) + "\n",
);
