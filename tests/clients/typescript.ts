// The generated client against a live server, from its sources: it is given an address and a
// token, and ends with a fault or with the names of what it tried.
import { createClient, parseExact, RefusedError, stringifyExact, UnansweredError } from "../../web/client/src/index.ts";
import type { ClientOptions, Refusal } from "../../web/client/src/index.ts";

declare const process: { argv: string[]; stdout: { write(text: string): void } };

const [baseUrl, token] = process.argv.slice(2) as [string, string];
type Fetch = NonNullable<ClientOptions["fetch"]>;

const tried: string[] = [];
async function trying(name: string, what: () => Promise<void>): Promise<void> {
  try {
    await what();
  } catch (error) {
    throw new Error(`${name} fails`, { cause: error });
  }
  tried.push(name);
}

function same(have: unknown, want: unknown, about: string): void {
  if (stringifyExact(have) !== stringifyExact(want)) throw new Error(`${about} is ${stringifyExact(have)}, want ${stringifyExact(want)}`);
}

async function thrown(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

/** A client whose attempts go through what is given, and the requests that it sent. */
function through(fetching: (attempt: number, url: string, init: RequestInit) => Promise<Response>, options: Partial<ClientOptions> = {}) {
  const sent: { url: string; key: string | null; authorization: string | null; redirect: string | undefined }[] = [];
  const fetched: Fetch = async (url, init) => {
    const headers = new Headers(init.headers);
    sent.push({ url, key: headers.get("Idempotency-Key"), authorization: headers.get("Authorization"), redirect: init.redirect });
    return await fetching(sent.length, url, init);
  };
  return { client: createClient({ baseUrl, token, fetch: fetched, ...options }), sent };
}

function problem(status: number, code: string, members: object = {}, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ type: "about:blank", title: code, status, code, ...members }), { status, headers: { "Content-Type": "application/problem+json", ...headers } });
}

const lost = () => Promise.reject(new TypeError("fetch failed"));
const client = createClient({ baseUrl: `${baseUrl}/`, token: () => Promise.resolve(token) });

await trying("a write answers a receipt under its own key", async () => {
  const made = await client.call("create_project", { key: "WEB", title: "Web" });
  if (!made.ok) throw new Error(made.refusal.detail);
  same([made.data.outcome, made.data.op_id, made.attempts], ["applied", made.key, 1], "the receipt");
  if (made.requestId === undefined || (JSON.parse(made.text) as { outcome: string }).outcome !== "applied") throw new Error("it does not say what came");
});

await trying("a write whose answer is lost is sent again, and lands once", async () => {
  const { client: flaky, sent } = through(async (attempt, url, init) => {
    const answer = await fetch(url, init);
    return attempt === 1 ? lost() : answer;
  }, { token: () => token });
  const made = await flaky.call("create_work_item", { project: "WEB", title: "once" });
  if (!made.ok) throw new Error(made.refusal.detail);
  same([made.attempts, made.data.replayed, sent.length], [2, true, 2], "the second answer");
  if (sent[0]?.key === null || sent[0]?.key !== sent[1]?.key) throw new Error("the two attempts have other keys");
  const all = await client.must("list_work_items", { project: "WEB" });
  same(all.items.map((i) => i.title), ["once"], "what is there");
});

await trying("a key of one's own is kept for another call", async () => {
  const first = await client.must("create_work_item", { project: "WEB", title: "twice" }, { key: "one-key" });
  const second = await client.must("create_work_item", { project: "WEB", title: "twice" }, { key: "one-key" });
  same([second.replayed, second.key], [true, first.key], "the second receipt");
  const other = await client.call("create_work_item", { project: "WEB", title: "another" }, { key: "one-key" });
  same(other.ok ? undefined : other.refusal.code, "op_id_invalid", "the code of another call");
});

await trying("a dry run changes nothing and needs no key", async () => {
  const { client: watched, sent } = through((_, url, init) => fetch(url, init));
  const would = await watched.must("create_work_item", { project: "WEB", title: "never" }, { dryRun: true });
  same([would.dry_run, sent[0]?.key], [true, null], "the receipt");
});

await trying("pages come one after the other", async () => {
  for (const title of ["a", "b", "c"]) await client.must("create_work_item", { project: "WEB", title });
  const pages: number[] = [];
  for await (const page of client.pages("list_work_items", { project: "WEB", limit: 2 })) pages.push(page.items.length);
  same(pages, [2, 2, 1], "the lengths of the pages");
  const titles: string[] = [];
  for await (const item of client.items("list_work_items", { project: "WEB", limit: 2, status: ["triage", "todo"] })) titles.push(item.title);
  same(titles.sort(), ["a", "b", "c", "once", "twice"], "the items of all pages");
});

await trying("a refusal says what it is", async () => {
  const stale = await client.call("update_work_item", { item: "WEB-1", title: "x", if_match: 99 });
  if (stale.ok || stale.refusal.code !== "stale_version") throw new Error("it is not stale");
  const invalid = await client.call("list_work_items", { limit: 0 });
  if (invalid.ok || invalid.refusal.code !== "invalid") throw new Error("it is valid");
  same(invalid.refusal.violations?.map((v) => v.pointer), ["/limit"], "the violations");
  const missing = await thrown(client.must("get_work_item", { item: "WEB-99" }));
  if (!(missing instanceof RefusedError)) throw missing;
  same([missing.refusal.code, missing.capability], ["not_found", "get_work_item"], "what is thrown");
  const nobody = await createClient({ baseUrl, token: "none" }).call("list_projects");
  same(nobody.ok ? undefined : nobody.refusal.code, "unauthenticated", "the code for a stranger");
  const current = await client.must("update_work_item", { item: "WEB-1", title: "renamed", if_match: 1n });
  same(current.outcome, "applied", "a change of the current version");
});

await trying("what a path cannot carry is not sent", async () => {
  const { client: watched, sent } = through(lost);
  for (const item of ["", ".", "..", "a/b", "a\\b"]) {
    const error = await thrown(watched.call("get_work_item", { item }));
    if (!(error instanceof TypeError)) throw error;
  }
  same(sent, [], "what was sent");
});

await trying("who is told to wait waits, and no longer than allowed", async () => {
  const { client: soon, sent } = through((attempt, url, init) => (attempt === 1 ? Promise.resolve(problem(429, "rate_limited", {}, { "Retry-After": "0" })) : fetch(url, init)));
  const came = await soon.call("list_projects");
  same([came.ok, came.attempts, sent.length], [true, 2, 2], "the second answer");
  const { client: late, sent: once } = through(() => Promise.resolve(problem(503, "unavailable", { retry_after_seconds: 3600 })));
  const refused = await late.call("list_projects");
  same([refused.ok, once.length], [false, 1], "a wait of an hour");
  if (refused.ok || refused.refusal.retry_after_seconds !== 3600) throw new Error("it does not say how long to wait");
});

await trying("a wait can be ended", async () => {
  const stop = new AbortController();
  const { client: waiting, sent } = through(() => {
    setTimeout(() => stop.abort(new Error("no longer wanted")), 0);
    return Promise.resolve(problem(429, "rate_limited", { retry_after_seconds: 29 }));
  });
  const error = await thrown(waiting.call("list_projects", {}, { signal: stop.signal }));
  same([(error as Error).message, sent.length], ["no longer wanted", 1], "the end of the wait");
  same(((await thrown(waiting.call("list_projects", {}, { signal: stop.signal }))) as Error).message, "no longer wanted", "a call that is ended before");
});

await trying("an attempt that takes too long is given up", async () => {
  const { client: slow, sent } = through((_attempt, _url, init) => new Promise((_, reject) => {
    const busy = setTimeout(() => undefined, 60_000); // a connection keeps the process waiting
    init.signal?.addEventListener("abort", () => {
      clearTimeout(busy);
      reject(init.signal?.reason as Error);
    });
  }), { timeout: 20 });
  const error = await thrown(slow.call("list_projects", {}, { retry: { times: 1 } }));
  if (!(error instanceof UnansweredError)) throw error;
  same([sent.length, (error.cause as Error).name], [2, "TimeoutError"], "a call that nobody answers");
});

await trying("the token is asked for before every attempt", async () => {
  let asked = 0;
  const { client: renewing, sent } = through(() => Promise.resolve(problem(429, "rate_limited", { retry_after_seconds: 0 })), { token: () => `t${++asked}`, retry: { times: 1 } });
  await renewing.call("list_projects");
  same(sent.map((s) => s.authorization), ["Bearer t1", "Bearer t2"], "the credentials");
});

const quick = { retry: { times: 2, within: 5_000 } };

await trying("nothing is sent again that could have a second effect", async () => {
  const { client: keyless, sent } = through(lost, quick);
  const error = await thrown(keyless.call("create_work_item", { project: "WEB", title: "x" }, { key: false }));
  if (!(error instanceof UnansweredError)) throw error;
  same([error.maybeApplied, error.key, sent.length], [true, undefined, 1], "a write without a key");
  const { client: uncertain, sent: held } = through(() => Promise.resolve(problem(503, "unavailable", { maybe_applied: true, retry_after_seconds: 0 })), quick);
  await uncertain.call("create_work_item", { project: "WEB", title: "x" }, { key: false });
  same(held.length, 1, "how often it was sent that may have been applied");
  const { client: certain, sent: again } = through(() => Promise.resolve(problem(503, "unavailable", { retry_after_seconds: 0 })), quick);
  await certain.call("create_work_item", { project: "WEB", title: "x" }, { key: false });
  same(again.length, 3, "how often it was sent that was not applied");
  const { client: conflicting, sent: one } = through(() => Promise.resolve(problem(409, "conflict")), quick);
  await conflicting.call("create_work_item", { project: "WEB", title: "x" });
  same(one.length, 1, "how often it was sent that lost a race");
});

await trying("a read is sent again, and so is a write of which nobody knows", async () => {
  const { client: reading, sent } = through(lost, quick);
  const error = await thrown(reading.call("list_projects"));
  if (!(error instanceof UnansweredError)) throw error;
  same([error.maybeApplied, sent.length], [false, 3], "a read without an answer");
  const { client: unknown, sent: keyed } = through((attempt) =>
    Promise.resolve(attempt === 1 ? problem(500, "unknown_outcome") : new Response(`{"outcome":"applied"}`, { headers: { "Content-Type": "application/json" } })), quick);
  const landed = await unknown.call("create_work_item", { project: "WEB", title: "x" });
  same([landed.ok, landed.attempts, keyed[0]?.key === keyed[1]?.key], [true, 2, true], "the second answer");
});

await trying("what is no answer of the server is none", async () => {
  for (const [response, times] of [
    [() => new Response("<html>", { status: 502, headers: { "Content-Type": "text/html" } }), 3],
    [() => new Response("<html>", { status: 200, headers: { "Content-Type": "text/html" } }), 1],
    [() => new Response("{", { status: 200, headers: { "Content-Type": "application/json" } }), 1],
    [() => new Response(null, { status: 302, headers: { Location: "/login" } }), 1],
  ] as const) {
    const { client: proxied, sent } = through(() => Promise.resolve(response()), quick);
    const error = await thrown(proxied.call("create_work_item", { project: "WEB", title: "x" }));
    if (!(error instanceof UnansweredError)) throw error;
    same([error.maybeApplied, error.status, sent.length, sent[0]?.redirect], [true, response().status, times, "manual"], `what ${response().status} means`);
  }
});

await trying("whole numbers keep their digits", async () => {
  const text = `{"a":9007199254740993,"b":[-9007199254740993,12345678901234567890],"c":1.5,"d":"9007199254740993","e":{"f":9007199254740991},"g":1e300}`;
  const value = parseExact(text) as { a: unknown; b: unknown[]; d: unknown; e: { f: unknown }; g: unknown };
  if (value.a !== 9007199254740993n || value.b[1] !== 12345678901234567890n || value.d !== "9007199254740993" || value.e.f !== 9007199254740991 || value.g !== 1e300) throw new Error("other values");
  same(stringifyExact(value), text.replace("1e300", "1e+300"), "the text of them");
  for (const words of [`"\\"12345678901234567890\\""`, `{"exact":"\\u0065xact12345678901234567890","12345678901234567890":[true,null]}`]) {
    if (JSON.stringify(parseExact(words)) !== JSON.stringify(JSON.parse(words))) throw new Error(`${words} is read as something else`);
  }
  const big = `{"items":[],"next_cursor":"x","total":9007199254740993}`;
  const answers = () => Promise.resolve(new Response(big, { headers: { "Content-Type": "application/json" } }));
  for (const [integers, want] of [["exact", "bigint"], ["number", "number"]] as const) {
    const { client: reading } = through(answers, { integers });
    const page = (await reading.must("list_projects")) as unknown as { total: unknown };
    same(typeof page.total, want, `a whole number with ${integers}`);
  }
  // A cursor that comes again ends the pages.
  const { client: circling, sent } = through(answers);
  for await (const _ of circling.pages("list_projects")) void _;
  same(sent.length, 2, "the pages of a circle");
});

await trying("a code that is not known is a refusal like any other", async () => {
  const { client: older } = through(() => Promise.resolve(problem(418, "teapot")), quick);
  const answer = await older.call("list_projects");
  same(answer.ok ? undefined : (answer.refusal as Refusal).code, "teapot", "the code");
});

process.stdout.write(JSON.stringify(tried) + "\n");
