// Uses the client that the product generates: it creates, reads and is refused, and writes
// what it saw. What must not compile is marked.
import { createClient, RefusedError, stringifyExact } from "./client/src/index.ts";
import type { Code, Input, Output, Receipt, ReceiptName, Refusal, Result } from "./client/src/index.ts";

declare const process: { argv: string[]; stdout: { write(text: string): void } };

const [url, token, number] = process.argv.slice(2);
const big = BigInt(number!);
const client = createClient({ baseUrl: url!, token: token! });

// told answers a part of a refusal; each violation is its pointer and its keyword.
function told(r: Refusal | undefined) {
  if (r === undefined) throw new Error("it was not refused");
  const violations = "violations" in r ? r.violations?.map((v) => `${v.pointer} ${v.keyword}`) : undefined;
  return { status: r.status, code: r.code, base: r.base, violations };
}

function refused(result: { ok: true } | { ok: false; refusal: Refusal }): Refusal | undefined {
  return result.ok ? undefined : result.refusal;
}

const input: Input<"file_ticket"> = {
  project: "WEB", title: "login loops", kind: "bug", labels: ["a"], external: big, facts: { hours: 3 }, steps: [{ text: "sign in", steps: [{ text: "look" }] }], due: undefined,
};
const { ticket, labels } = await client.must("file_ticket", input);
const untitled = await client.call("file_ticket", { project: "WEB", title: "", kind: "bug" });

const found: { name: string; after: number }[] = [];
for await (const { name, after } of client.items("find_tickets", { project: "W&B ä", label: ["a", "b, c", "d&e"], number: [1, 2], limit: 2, after: big })) {
  found.push({ name, after });
}

const invalid = await client.call("find_tickets", { project: "WEB", cursor: "%%%" });
const missing = await client.call("find_tickets", { project: "NONE" });
const full = await client.call("drop_box", { number: 409 });
const weighed = await client.must("scales__weigh", { grams: 0.30000000000000004, copies: big });
const broken = await client.call("scales__break", {});
const stranger = await createClient({ baseUrl: url!, token: "none" }).call("find_tickets", { project: "WEB" });

// A refusal that is thrown says what it is.
const thrown: unknown = await client.must("find_tickets", { project: "NONE" }).catch((error: unknown) => error);
if (!(thrown instanceof RefusedError) || thrown.refusal.code !== "not_found") throw new Error(`must throws ${String(thrown)}`);

// A code takes a refusal apart, and each operation has its own.
function apart(result: Result<"drop_box">): string | undefined {
  if (result.ok) return undefined;
  switch (result.refusal.code) {
    case "box_full":
      return result.refusal.detail;
    case "invalid":
      return result.refusal.violations?.[0]?.pointer;
    case "approval_needed":
      return result.refusal.approval?.id;
    // @ts-expect-error the operation has no such code
    case "upstream_error":
      return undefined;
  }
  // @ts-expect-error only what is invalid has violations
  return result.refusal.violations;
}
if (apart(full) === undefined) throw new Error("the box is not full");

// What a call takes and answers has types.
const code: Code = "box_full";
const receipt: ReceiptName = "create_work_item";
const written = (answer: Output<"create_work_item">): Receipt => answer;
// @ts-expect-error no such code
const noCode: Code = "box_empty";
// @ts-expect-error it only reads
const noReceipt: ReceiptName = "find_tickets";
const never = async () => {
  // @ts-expect-error no such capability
  await client.call("file_tickets", {});
  // @ts-expect-error a field is missing
  await client.call("file_ticket", { project: "WEB", title: "x" });
  // @ts-expect-error a field has another type
  await client.call("file_ticket", { project: "WEB", title: "x", kind: "bugs" });
  // @ts-expect-error there is no such field
  await client.call("file_ticket", { project: "WEB", title: "x", kind: "bug", titel: "y" });
  // @ts-expect-error the input is needed
  await client.call("file_ticket");
  // @ts-expect-error it has no pages
  client.items("file_ticket", input);
  return [code, receipt, written, noCode, noReceipt];
};
void never;

process.stdout.write(
  stringifyExact({
    created: {
      project: ticket.project, title: ticket.title, kind: ticket.kind, labels, external: ticket.external, priority: ticket.priority, step: ticket.steps?.[0]?.text,
    },
    untitled: told(refused(untitled)),
    found,
    invalid: told(refused(invalid)),
    missing: told(refused(missing)),
    full: told(refused(full)),
    weighed: { ...weighed.structuredContent, text: weighed.content[0]?.text },
    broken: told(refused(broken)),
    stranger: told(refused(stranger)),
  }) + "\n",
);
