export { createClient, RefusedError, UnansweredError } from "./client.ts";
export type { CallOptions, Client, ClientOptions, Retry } from "./client.ts";
export { parseExact, stringifyExact } from "./exact.ts";
export type { Answered, Code, CodeOf, Input, Name, Output, PagedName, Receipt, ReceiptName, Refusal, Refused, Result } from "./kinds.ts";
export type { Calls } from "./calls.ts";
export type { components, operations, paths } from "./schema.ts";
