import { bases, calls } from "./calls.ts";
import type { Plan } from "./calls.ts";
import { parseExact, stringifyExact, uuid } from "./exact.ts";
import type { Arguments, Name, Output, PagedName, Refusal, CodeOf, Result } from "./kinds.ts";

/** What a client is made of. */
export interface ClientOptions {
    /** Where the server is, such as "http://127.0.0.1:4280"; "/api/v1" is added where it is missing. */
    baseUrl: string;
    /** The token that every request carries, or what answers it: it is asked before every attempt. */
    token?: string | (() => string | Promise<string>);
    /** What sends requests; the platform's fetch if absent. */
    fetch?: (url: string, init: RequestInit) => Promise<Response>;
    /** How calls are sent again, unless a call says otherwise. */
    retry?: Retry;
    /** Milliseconds an attempt may take, 120000 if absent; 0 is for ever. */
    timeout?: number;
    /**
     * "exact", if absent: a whole number that a number cannot hold arrives as a bigint, although
     * its type says number, and is sent back with the same digits. "number": it is rounded.
     */
    integers?: "exact" | "number";
    /** Headers of every request. */
    headers?: Record<string, string>;
}

/**
 * How often and how long a call is sent again. It is, when the answer is lost or says that a
 * later attempt can land, and when a second attempt cannot have a second effect: the call is
 * proven to only read, it has an operation key, or the server says that nothing was done.
 */
export interface Retry {
    /** How often at most beside the first time; 3 if absent. */
    times?: number;
    /** Milliseconds that may be waited in all; 30000 if absent. Who is told to wait longer is refused at once. */
    within?: number;
}

/** How one call is made. */
export interface CallOptions {
    /**
     * The operation key of a write: the same call with the same key has its effect once, for 30
     * days. Absent, every write has a fresh one; false sends none, and then nothing is sent again
     * that may have had an effect.
     */
    key?: string | false;
    /** Answers the receipt that the call would give, and changes nothing. For writes of the server's own. */
    dryRun?: boolean;
    /** Ends the call, also while it waits to be sent again. */
    signal?: AbortSignal;
    retry?: Retry;
    timeout?: number;
    headers?: Record<string, string>;
}

/** A call without an answer that says what became of it: the network failed, or something else answered. */
export class UnansweredError extends Error {
    override readonly name = "UnansweredError";
    /** The capability that was called. */
    readonly capability: string;
    /** The operation key that it was sent with: the same call with it is safe to send again. */
    readonly key: string | undefined;
    /** Whether the call may have been carried out all the same. */
    readonly maybeApplied: boolean;
    /** The status of what was answered, absent where nothing was. */
    readonly status: number | undefined;
    constructor(message: string, request: { name: string; key: string | undefined; writes: boolean }, status: number | undefined, cause: unknown) {
        super(message, { cause });
        this.capability = request.name;
        this.key = request.key;
        this.maybeApplied = request.writes;
        this.status = status;
    }
}

/** A refusal where it is thrown, by must and by the iterators. */
export class RefusedError<N extends Name = Name> extends Error {
    override readonly name = "RefusedError";
    /** The capability that was called. */
    readonly capability: N;
    readonly refusal: Refusal<CodeOf<N>>;
    constructor(capability: N, refusal: Refusal<CodeOf<N>>) {
        super(`${capability} was refused: ${sentence(refusal)}`);
        this.capability = capability;
        this.refusal = refusal;
    }
}

function sentence(r: { code: string; title: string; detail?: string }): string {
    return `${r.code}: ${r.detail ?? r.title}`;
}

/** Calls the capabilities of a server by their names. */
export interface Client {
    /** Calls a capability and answers what it answered, or how it was refused. Only a call without an answer throws, an [UnansweredError]. */
    call<N extends Name>(name: N, ...args: Arguments<N, CallOptions>): Promise<Result<N>>;
    /** Calls a capability and answers its data; a refusal is thrown, as a [RefusedError]. */
    must<N extends Name>(name: N, ...args: Arguments<N, CallOptions>): Promise<Output<N>>;
    /** Calls a capability for page after page, until there is none. A refusal is thrown, as a [RefusedError]. */
    pages<N extends PagedName>(name: N, ...args: Arguments<N, CallOptions>): AsyncGenerator<Output<N>, void, undefined>;
    /** The items of all pages. */
    items<N extends PagedName>(name: N, ...args: Arguments<N, CallOptions>): AsyncGenerator<Output<N>["items"][number], void, undefined>;
}

/** Answers a client of a server. It keeps no connection and no state of its own. */
export function createClient(options: ClientOptions): Client {
    const base = options.baseUrl.replace(/\/+$/, "");
    const root = base.endsWith("/api/v1") ? base : `${base}/api/v1`;

    async function call<N extends Name>(name: N, ...args: Arguments<N, CallOptions>): Promise<Result<N>> {
        const [input, o] = args;
        return (await send(options, root, name, (input ?? {}) as Fields, o ?? {})) as Result<N>;
    }
    async function must<N extends Name>(name: N, ...args: Arguments<N, CallOptions>): Promise<Output<N>> {
        const result = await call(name, ...args);
        if (!result.ok) {
            throw new RefusedError(name, result.refusal);
        }
        return result.data;
    }
    async function* pages<N extends PagedName>(name: N, ...args: Arguments<N, CallOptions>): AsyncGenerator<Output<N>, void, undefined> {
        const [input, o] = args;
        const seen = new Set<string>();
        let fields = { ...(input ?? {}) } as Fields;
        for (;;) {
            const page = await must(name, ...([fields, o] as unknown as Arguments<N, CallOptions>));
            yield page;
            const cursor = (page as { next_cursor?: string }).next_cursor;
            // A cursor that comes again would be followed for ever.
            if (cursor === undefined || seen.has(cursor)) {
                return;
            }
            seen.add(cursor);
            fields = { ...fields, cursor };
        }
    }
    async function* items<N extends PagedName>(name: N, ...args: Arguments<N, CallOptions>): AsyncGenerator<Output<N>["items"][number], void, undefined> {
        for await (const page of pages(name, ...args)) {
            yield* (page as { items: Output<N>["items"][number][] }).items;
        }
    }
    return { call, must, pages, items };
}

type Fields = Record<string, unknown>;

/** One request, without what changes from attempt to attempt. */
interface Prepared {
    name: string;
    url: string;
    method: string;
    headers: Record<string, string>;
    body: string | undefined;
    key: string | undefined;
    /** Whether it may have an effect at all. */
    writes: boolean;
    /** Whether a second attempt cannot have a second effect. */
    repeatable: boolean;
}

function prepare(options: ClientOptions, root: string, name: string, input: Fields, o: CallOptions): Prepared {
    if (!Object.hasOwn(calls, name)) {
        throw new TypeError(`this client knows no capability ${name}: generate it again from the server that has it`);
    }
    const plan: Plan = calls[name as Name];
    const rest: Fields = { ...input };
    const headers: Record<string, string> = { Accept: "application/json, application/problem+json", ...options.headers, ...o.headers };
    const path = plan.path.replace(/\{([^}]+)\}/g, (_, field: string) => {
        const value = rest[field];
        delete rest[field];
        return segment(name, field, value);
    });
    for (const [field, header] of [["if_match", "If-Match"], ["if_none_match", "If-None-Match"]] as const) {
        if (!plan.conditions?.includes(field)) {
            continue;
        }
        const value = rest[field];
        delete rest[field];
        if (field === "if_match" && value !== undefined) {
            headers[header] = `"${String(value)}"`;
        } else if (value === true || value === "*") {
            headers[header] = "*";
        }
    }
    const query = new URLSearchParams();
    let body: string | undefined;
    if (plan.sends === "query") {
        for (const [field, value] of Object.entries(rest)) {
            for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
                if (one !== undefined) {
                    query.append(field, String(one));
                }
            }
        }
    } else if (plan.sends === "body") {
        headers["Content-Type"] = "application/json";
        body = stringifyExact(rest);
    } else if (Object.values(rest).some((value) => value !== undefined)) {
        throw new TypeError(`${name} takes no ${Object.keys(rest).join(", ")}`);
    }
    if (o.dryRun === true) {
        query.set("dry_run", "true");
    }
    let key: string | undefined;
    if (o.key !== undefined && o.key !== false) {
        key = o.key;
    } else if (plan.repeat === "keyed" && o.key !== false && o.dryRun !== true) {
        key = uuid();
    }
    if (key !== undefined) {
        headers["Idempotency-Key"] = key;
    }
    const search = query.size > 0 ? `?${query}` : "";
    const writes = plan.repeat !== "always" && o.dryRun !== true;
    return { name, url: `${root}${path}${search}`, method: plan.method, headers, body, key, writes, repeatable: !writes || key !== undefined };
}

/** Writes a field of a path. What a path cannot carry is refused here: it would name another route. */
function segment(name: string, field: string, value: unknown): string {
    const text = String(value ?? "");
    if (text === "" || text === "." || text === ".." || text.includes("/") || text.includes("\\")) {
        throw new TypeError(`${name} cannot be called with ${field} ${JSON.stringify(text)}: it stands in the path`);
    }
    return encodeURIComponent(text);
}

/** What one attempt brought. */
type Attempt = { response: Response; text: string } | { failure: unknown };

async function send(options: ClientOptions, root: string, name: string, input: Fields, o: CallOptions): Promise<Result<Name>> {
    const request = prepare(options, root, name, input, o);
    const retry = { ...options.retry, ...o.retry };
    const times = retry.times ?? 3;
    let left = retry.within ?? 30_000;
    for (let attempt = 1; ; attempt++) {
        const came = await once(options, request, o);
        const end = settle(options, name, request, came, attempt);
        const wait = attempt > times ? undefined : pause(request, end, attempt);
        if (wait === undefined || wait > left) {
            if (end instanceof UnansweredError) {
                throw end;
            }
            return end;
        }
        left -= wait;
        await sleep(wait, o.signal);
    }
}

async function once(options: ClientOptions, request: Prepared, o: CallOptions): Promise<Attempt> {
    o.signal?.throwIfAborted();
    const token = typeof options.token === "function" ? await options.token() : options.token;
    const limit = o.timeout ?? options.timeout ?? 120_000;
    const signals = [...(o.signal ? [o.signal] : []), ...(limit > 0 ? [AbortSignal.timeout(limit)] : [])];
    const headers = token === undefined ? request.headers : { ...request.headers, Authorization: `Bearer ${token}` };
    const init: RequestInit = { method: request.method, headers, redirect: "manual" };
    if (request.body !== undefined) {
        init.body = request.body;
    }
    if (signals.length > 0) {
        init.signal = AbortSignal.any(signals);
    }
    try {
        const response = await (options.fetch ?? fetch)(request.url, init);
        return { response, text: await response.text() };
    } catch (failure) {
        o.signal?.throwIfAborted();
        return { failure };
    }
}

/** Says what an attempt means. */
function settle(options: ClientOptions, name: string, request: Prepared, came: Attempt, attempts: number): Result<Name> | UnansweredError {
    if ("failure" in came) {
        return new UnansweredError(`${name} was sent and not answered`, request, undefined, came.failure);
    }
    const { response, text } = came;
    const about = { status: response.status, requestId: response.headers.get("X-Request-Id") ?? undefined, key: request.key, attempts, text };
    const type = (response.headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase();
    try {
        if (response.ok && type === "application/json") {
            const data = options.integers === "number" ? (JSON.parse(text) as unknown) : parseExact(text);
            return { ok: true, data, ...about } as Result<Name>;
        }
        if (!response.ok && type === "application/problem+json") {
            const refusal = JSON.parse(text) as Refusal;
            const after = seconds(response.headers.get("Retry-After"));
            if (refusal.retry_after_seconds === undefined && after !== undefined) {
                refusal.retry_after_seconds = after;
            }
            return { ok: false, refusal, ...about } as Result<Name>;
        }
    } catch (cause) {
        return new UnansweredError(`${name} was answered with JSON that cannot be read`, request, response.status, cause);
    }
    return new UnansweredError(`${name} was answered ${response.status} by something that is no server of it`, request, response.status, text);
}

/** Answers the milliseconds to wait before the next attempt, or undefined when there must be none. */
function pause(request: Prepared, end: Result<Name> | UnansweredError, attempt: number): number | undefined {
    const grown = Math.random() * Math.min(10_000, 250 * 2 ** attempt);
    if (end instanceof UnansweredError) {
        const passing = end.status === undefined || end.status === 429 || (end.status >= 502 && end.status <= 504);
        return passing && request.repeatable ? grown : undefined;
    }
    if (end.ok) {
        return undefined;
    }
    const { refusal } = end;
    const code = refusal.base ?? (Object.hasOwn(bases, refusal.code) ? bases[refusal.code] : refusal.code);
    switch (code) {
        case "rate_limited":
        case "unavailable":
            // Nothing was done, unless the refusal says that something may have been.
            if (!request.repeatable && refusal.maybe_applied === true) {
                return undefined;
            }
            break;
        case "timeout":
        case "unknown_outcome":
            if (!request.repeatable) {
                return undefined;
            }
            break;
        default:
            return undefined;
    }
    return refusal.retry_after_seconds === undefined ? grown : refusal.retry_after_seconds * 1000 + Math.random() * 100;
}

/** Reads Retry-After (RFC 9110 section 10.2.3). */
function seconds(header: string | null): number | undefined {
    if (header === null) {
        return undefined;
    }
    if (/^\d+$/.test(header)) {
        return Number(header);
    }
    const date = Date.parse(header);
    return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
        const over = () => {
            signal?.removeEventListener("abort", stopped);
            resolve();
        };
        const timer = setTimeout(over, milliseconds);
        const stopped = () => {
            clearTimeout(timer);
            reject(signal?.reason as Error);
        };
        signal?.addEventListener("abort", stopped, { once: true });
        if (signal?.aborted) {
            stopped();
        }
    });
}
