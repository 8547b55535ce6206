// Replays the vectors against an implementation that was written from README.md alone.
// It is a second opinion, not a client: where it and the vectors differ, one of them is
// wrong. Usage: node replay.mjs [FOLDER]
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'

const folder = process.argv[2] ?? new URL('./cases', import.meta.url).pathname
const load = (name) => JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8'))

const hintsOf = (change, reach) => ({
  readOnlyHint: change === 'read',
  destructiveHint: ['amend', 'set', 'destroy'].includes(change),
  idempotentHint: ['read', 'set', 'destroy'].includes(change),
  openWorldHint: ['shared', 'world'].includes(reach),
})

const readOnlyProven = (h) => h.readOnlyHint === true && h.destructiveHint !== true
const knownToWrite = (h) => h.destructiveHint === true || h.readOnlyHint === false
function writesToShared(h) {
  if (h.destructiveHint === true) return true
  return h.readOnlyHint === false && h.openWorldHint !== false
}
function word(h) {
  if (h.destructiveHint === true) return 'destroys'
  if (h.readOnlyHint === false) return 'writes'
  return h.readOnlyHint === true ? 'reads' : 'unknown'
}

const hash = (...parts) => createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 6)
function exposed(server, tool) {
  let prefix = [...server.toLowerCase()].map((c) => (/[a-z0-9_-]/.test(c) ? c : '-')).join('')
  if (/^[-_]/.test(prefix)) prefix = 's' + prefix
  if (prefix !== server || prefix.length > 19) prefix = prefix.slice(0, 12) + '-' + hash(server)
  const clean = [...tool].map((c) => (/[A-Za-z0-9_-]/.test(c) ? c : '_')).join('')
  const whole = prefix + '__' + clean
  return clean === tool && whole.length <= 49 ? whole : whole.slice(0, 42) + '_' + hash(server, tool)
}

const statuses = {
  invalid: [400, 2], op_id_invalid: [400, 2], too_large: [413, 2], unauthenticated: [401, 4], forbidden: [403, 4], not_found: [404, 3],
  exists: [409, 5], conflict: [409, 5], stale_version: [412, 5], approval_needed: [403, 4], rate_limited: [429, 1], unavailable: [503, 1],
  timeout: [504, 1], unknown_outcome: [500, 6], upstream_error: [502, 1], internal_error: [500, 1],
}

const keys = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
const said = (raw) => Object.fromEntries(keys.filter((k) => typeof raw?.[k] === 'boolean').map((k) => [k, raw[k]]))

// What each file says, computed anew: pairs of what is expected and what was computed.
const replays = {
  effects: (c) => {
    const hints = hintsOf(c.change, c.reach)
    const shared = c.change !== 'read' && hints.openWorldHint
    return [[c.hints, hints], [c.writes_to_shared_surface, shared], [c.read_only_proven, readOnlyProven(hints)], [c.known_to_write, knownToWrite(hints)]]
  },
  classifiers: (c) => [
    [c.writes_to_shared_surface, writesToShared(c.hints)], [c.read_only_proven, readOnlyProven(c.hints)], [c.known_to_write, knownToWrite(c.hints)],
    [c.delivers, readOnlyProven(c.hints) ? '' : 'far'], [c.word, word(c.hints)],
  ],
  annotations: (c) => {
    if (c.more) return [] // its numbers are beyond this language
    const all = { ...(c.title ? { title: c.title } : {}), ...Object.fromEntries(keys.filter((k) => k in c.hints).map((k) => [k, c.hints[k]])) }
    return [[c.annotations, Object.keys(all).length ? JSON.stringify(all) : null]]
  },
  names: (c) => [[c.exposed, exposed(c.server, c.tool)]],
  refusals: (c) => {
    const meta = c.result._meta['holotype/error']
    return [[[c.http, c.exit], statuses[c.code]], [c.problem.status, c.http], [[c.problem.code, meta.code], [c.code, c.code]], [[c.result.isError, 'structuredContent' in c.result], [true, false]], [meta.violations, c.problem.violations]]
  },
  relay: (c) => {
    if (c.advertised === null) return []
    const tool = JSON.parse(c.upstream)
    return [[c.advertised.name, exposed(c.server, tool.name)], [said(c.advertised.annotations), said(tool.annotations)], [c.advertised._meta['holotype/effect'].asserts, word(said(tool.annotations))], [c.advertised.description, tool.description]]
  },
}

let wrong = 0
let compared = 0
for (const [name, replay] of Object.entries(replays)) {
  for (const one of load(name).cases) {
    for (const [want, got] of replay(one)) {
      compared++
      if (isDeepStrictEqual(want, got)) continue
      wrong++
      console.error(`${name}: ${JSON.stringify(one).slice(0, 200)}: the vectors say ${JSON.stringify(want)}, computed is ${JSON.stringify(got)}`)
    }
  }
}
console.log(`${compared} compared, ${wrong} wrong`)
process.exit(wrong ? 1 : 0)
