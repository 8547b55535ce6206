// Compiles when the types that the product writes are those of openapi-typescript.
import type * as ours from "./client/src/schema.ts";
import type * as theirs from "./document.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** The members of two types that are not the same, which an error names. */
type Differ<A, B> = { [K in keyof A | keyof B]: K extends keyof A & keyof B ? (Same<A[K], B[K]> extends true ? never : K) : K }[keyof A | keyof B];

type Schemas = "schemas";
type Responses = "responses";

export const same: [
  Differ<ours.paths, theirs.paths>, Differ<ours.operations, theirs.operations>, Differ<ours.components, theirs.components>,
  Differ<ours.components[Schemas], theirs.components[Schemas]>, Differ<ours.components[Responses], theirs.components[Responses]>,
  Differ<ours.webhooks, theirs.webhooks>, Differ<ours.$defs, theirs.$defs>,
] extends never[] ? true : [
  Differ<ours.components[Schemas], theirs.components[Schemas]>, Differ<ours.components[Responses], theirs.components[Responses]>, Differ<ours.operations, theirs.operations>,
] = true;

// They are assignable both ways.
export const there = (o: { p: ours.paths; c: ours.components; o: ours.operations }): { p: theirs.paths; c: theirs.components; o: theirs.operations } => o;
export const back = (t: { p: theirs.paths; c: theirs.components; o: theirs.operations }): { p: ours.paths; c: ours.components; o: ours.operations } => t;
