/**
 * Reads JSON without losing a digit: a whole number that a number cannot hold, which is one
 * beyond 2^53 either way, comes as a bigint. Everything else is as JSON.parse has it.
 */
export function parseExact(text: string): unknown {
    if (!/\d{16}/.test(text)) {
        return JSON.parse(text);
    }
    // What stands for such numbers meanwhile begins with a mark that nobody can have written.
    const mark = uuid();
    let marked = false;
    const written = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) => {
        if (!/^-?\d+$/.test(token) || Number.isSafeInteger(Number(token))) {
            return token;
        }
        marked = true;
        return `"${mark}${token}"`;
    });
    if (!marked) {
        return JSON.parse(text);
    }
    return JSON.parse(written, (_key, value: unknown) => (typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value));
}

/** Writes JSON as JSON.stringify does, and a bigint as the number that it is. */
export function stringifyExact(value: unknown): string {
    const mark = uuid();
    let marked = false;
    const written = JSON.stringify(value, (_key, v: unknown) => {
        if (typeof v !== "bigint") {
            return v;
        }
        marked = true;
        return `${mark}${v}`;
    });
    return marked ? written.replace(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1") : written;
}

/** Answers a random UUID (RFC 9562), also where a page is no secure context. */
export function uuid(): string {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
