// What a program may and may not write with the types of the document. tsc fails
// when a line below "@ts-expect-error" is accepted.
import type { components, operations, paths } from "./document";

type Body<K extends keyof operations> = NonNullable<operations[K]["requestBody"]> extends { content: { "application/json": infer B } } ? B : never;

export const created: Body<"create_note"> = { title: "milk", labels: [{ text: "shop" }], due: null };
// @ts-expect-error: the title is required
export const untitled: Body<"create_note"> = { labels: [] };
// @ts-expect-error: the notebook travels in the path
export const twice: Body<"create_note"> = { title: "milk", notebook: "home" };

export const where: operations["create_note"]["parameters"]["path"] = { notebook: "home" };
export const query: NonNullable<operations["list_notes"]["parameters"]["query"]> = { author: ["ada"], order: "old" };
// @ts-expect-error: no such order
export const order: NonNullable<operations["list_notes"]["parameters"]["query"]> = { order: "sideways" };

export function message(p: components["schemas"]["Problem"]): string {
  return p.code === "quota_spent" ? "come back tomorrow" : (p.detail ?? p.title);
}

type Read = paths["/notes/{id}"]["get"]["responses"][200]["content"]["application/json"];
export const title = (n: Read): string => n.title + n.labels.map((l) => l.text).join();

export const bridged: Body<"hostile__literals"> = { a: "x", b: "y", c: "anything" };
// @ts-expect-error: the literals are one list
export const other: Body<"hostile__literals"> = { a: "z" };
export const tree: Body<"hostile__recursive_defs"> = { root: { v: "a", kids: [{ v: "b", kids: [] }] } };
