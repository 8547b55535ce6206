import type { Bases, Calls } from "./calls.ts";
import type { components } from "./schema.ts";

/** The name of a capability. */
export type Name = keyof Calls & string;

/** The name of a capability that answers in pages. */
export type PagedName = { [N in Name]: Calls[N] extends { input: { cursor?: string }; output: { items: unknown[]; next_cursor?: string } } ? N : never }[Name];

/** The name of a capability whose calls answer a receipt. */
export type ReceiptName = { [N in Name]: Calls[N]["output"] extends Receipt ? N : never }[Name];

/** What a call takes: the fields of its path, its query, its body and its preconditions in one object, as on every other surface. */
export type Input<N extends Name> = Sent<Calls[N]["input"]>;

/** What a call answers when it is not refused. */
export type Output<N extends Name> = Calls[N]["output"];

/** The codes of the refusals that a call may meet. */
export type CodeOf<N extends Name> = Calls[N]["refuses"];

/** Every code of a refusal. */
export type Code = keyof Bases & string;

/** What a write of a store answers beside its own fields. */
export interface Receipt {
    outcome: "applied" | "unchanged" | "pending";
    position?: string;
    op_id?: string;
    replayed?: boolean;
    dry_run?: boolean;
}

type Problem = components["schemas"]["Problem"];

/** What a refusal has beside the rest, by the base of its code. */
interface Beside {
    invalid: { violations?: components["schemas"]["Violation"][] };
    approval_needed: Pick<Problem, "approval">;
    upstream_error: Pick<Problem, "upstream">;
}

type BesideOf<B> = B extends keyof Beside ? Beside[B] : unknown;

/**
 * A refusal (RFC 9457): a union that a switch on its code takes apart. A server newer than
 * this client may answer a code that is not among these.
 */
export type Refusal<C extends Code = Code> = C extends Code
    ? Flat<Pick<Problem, "type" | "title" | "status" | "detail" | "maybe_applied" | "retry_after_seconds" | "request_id"> & { code: C; base?: string } & BesideOf<Bases[C]>>
    : never;

/** What both kinds of answers have. */
interface Came {
    /** The status of the answer. */
    status: number;
    /** The request in the server's log. */
    requestId: string | undefined;
    /** The operation key that the call was sent with. */
    key: string | undefined;
    /** How often the call was sent. */
    attempts: number;
    /** The answer as it came, to the byte. */
    text: string;
}

/** A call that was carried out. */
export interface Answered<N extends Name> extends Came {
    ok: true;
    data: Output<N>;
}

/** A call that was refused. */
export interface Refused<N extends Name> extends Came {
    ok: false;
    refusal: Refusal<CodeOf<N>>;
}

/** What became of a call. */
export type Result<N extends Name> = Answered<N> | Refused<N>;

/** The arguments of a call: the input may be left out where nothing in it is required. */
export type Arguments<N extends Name, O> = {} extends Input<N> ? [input?: Input<N>, options?: O] : [input: Input<N>, options?: O];

/** A value as it may be sent: a whole number may be a bigint, and what is optional may be undefined. */
export type Sent<T> = T extends number
    ? T | bigint
    : T extends string | boolean | null | undefined
      ? T
      : T extends readonly (infer E)[]
        ? readonly Sent<E>[]
        : T extends object
          ? { [K in keyof T]: Sent<T[K]> | (Pick<T, K> extends Required<Pick<T, K>> ? never : undefined) }
          : T;

type Flat<T> = T extends unknown ? { [K in keyof T]: T[K] } : never;

type Known<T> = [T] extends [undefined] ? unknown : NonNullable<T>;

type Parameters<O, P extends string> = O extends { parameters: { [K in P]?: infer V } } ? Known<V> : unknown;

type Conditions<H> = (H extends { "If-Match"?: string } ? { if_match?: string | number | bigint } : unknown) & (H extends { "If-None-Match"?: string } ? { if_none_match?: boolean } : unknown);

type Header<O> = O extends { parameters: { header?: infer H } } ? ([H] extends [undefined] ? unknown : Conditions<Named<NonNullable<H>>>) : unknown;

/** Only what is named: an optional property would fit every object. */
type Named<H> = { [K in keyof H as K extends "If-Match" | "If-None-Match" ? K : never]-?: H[K] };

type Body<O> = O extends { requestBody?: infer B } ? (NonNullable<B> extends { content: { "application/json": infer V } } ? ([NonNullable<B>] extends [never] ? unknown : V) : unknown) : unknown;

/** The input of an operation. */
export type InputOf<O> = Flat<Parameters<O, "path"> & Omit<Parameters<O, "query">, "dry_run"> & Header<O> & Body<O>>;

/** The answer of an operation. */
export type OutputOf<O> = O extends { responses: { 200: { content: { "application/json": infer V } } } } ? V : unknown;
