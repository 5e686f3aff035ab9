import type { StackCode } from './codes.ts'
import { parseReference } from './references/reference.ts'

/** What to do about a finding, if whoever reports it knows nothing better; undefined if the sentence says enough. */
export function hintFor(code: StackCode, subjects: readonly unknown[]): string | undefined {
  return HINTS.get(code)?.(...subjects)
}

type Hint = (...subjects: readonly unknown[]) => string | undefined

const HINTS: ReadonlyMap<StackCode, Hint> = new Map<StackCode, Hint>([
  ['MU100', () => 'create Mu.yaml, or name the stack file or its directory'],
  ['MU126', () => 'leave `default: true` with one of them, or choose one with -c'],
  ['MU154', () => 'write map[KEY]VALUE; keys are string, number or bool'],
  ['MU155', () => 'write TYPE[]'],
  ['MU156', (text) => (text === '' ? '`type` says what it is, such as string or acme/db' : howToRefer(String(text)))],
  ['MU501', () => 'versions are three numbers, such as 1.0.0, or a commit of 7 or 40 digits'],
  ['MU504', () => 'give it a service, or `abstract: true`'],
  ['MU508', expectedType],
  ['MU510', (_, stack) => (stack === 'mu/volume' ? MOUNT : 'give it a port, or a public service that has one')],
  ['MU511', (name) => `choose one of them, as '${String(name)}:SERVICE' or '${String(name)}:PORT'`],
  ['MU600', () => 'one of them must not name the others'],
  ['MU604', () => 'move it to `stacks.private`, or to a stack file of its own'],
  ['MU605', (_, __, found) => `ask for ${String(found)}, or let davit-fetch-stacks fetch what is asked for`],
  ['MU606', () => 'declare it under `public`: what was public stays public'],
])

const REFERENCE =
  'references are names, perhaps with a version, such as acme/db@^1.0.0: letters, digits and `_`, in parts joined by `/`'

/** How versions that are asked for are written. */
export const SPECS =
  "versions are asked for as latest, 1.2.3, ^1.2.3, ~1.2.3, '>=1.0.0 <2.0.0', or a commit of 7 or 40 digits"

/** Says what is wrong with a reference: its name, or what is behind `@`. */
function howToRefer(text: string): string {
  const end = text.indexOf('@')
  return end !== -1 && parseReference(text.slice(0, end)) !== undefined ? SPECS : REFERENCE
}

const MOUNT = 'a container mounts volumes that its `volumes` name'

/** Says how the wanted type is written, where what was given shows what was meant. */
function expectedType(wanted: unknown, got: unknown): string | undefined {
  const type = String(wanted)
  if (type.endsWith('[]')) return got === 'list' ? 'one of its elements has another type' : 'write a list: [A, B]'
  if (type.startsWith('map[')) {
    return got === 'map' ? 'one of its keys or values has another type' : 'write a table: { A: B }'
  }
  return SCALARS.get(`${type}, not ${String(got)}`)
}

const IN_QUOTES = 'text that reads as something else is written in quotes'
const SCALARS: ReadonlyMap<string, string> = new Map([
  ['number, not string', 'write a number, such as 8080, without quotes'],
  ['bool, not string', 'write true or false, without quotes'],
  ['string, not number', IN_QUOTES],
  ['string, not bool', IN_QUOTES],
])
