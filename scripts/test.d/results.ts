import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { ROOT } from '../executables.ts'

/** What the JSON reporter of vitest writes, as far as it is used here. */
export interface Results {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly FileResult[]
}

export interface FileResult {
  /** Absolute path. */
  readonly name: string
  readonly status: string
  /** The reason why the file could not be loaded, or its set-up failed. */
  readonly message?: string
  readonly startTime: number
  readonly endTime: number
  readonly assertionResults: readonly TestResult[]
}

export interface TestResult {
  readonly status: string
  readonly fullName: string
  readonly failureMessages?: readonly string[]
}

export function readResults(file: string): Results {
  return JSON.parse(readFileSync(file, 'utf8')) as Results
}

export interface Skipped {
  /** The condition in the source, such as `unless isRoot`. */
  readonly why: string
  readonly tests: number
  readonly files: readonly string[]
}

/** Returns the skipped tests by the condition for which they were, most frequent first. */
export function skippedTests(results: readonly FileResult[]): readonly Skipped[] {
  const found = results.flatMap(({ name, assertionResults }) => {
    const skipped = assertionResults.filter(({ status }) => !['passed', 'failed'].includes(status))
    if (skipped.length === 0) return []
    const conditions = conditionsIn(sourceOf(name))
    return skipped.map(({ fullName }) => ({ why: whySkipped(fullName, conditions), file: relative(ROOT, name) }))
  })
  return [...new Set(found.map(({ why }) => why))]
    .map((why) => {
      const same = found.filter((one) => one.why === why)
      return { why, tests: same.length, files: [...new Set(same.map(({ file }) => file))] }
    })
    .toSorted((left, right) => right.tests - left.tests)
}

function sourceOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

interface Condition {
  readonly title: RegExp
  readonly why: string
}

/** `skipIf(CONDITION)…('TITLE'`, where the condition and what is between contain at most two levels of brackets. */
const BRACKETS = String.raw`\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)`
const CONDITIONAL = new RegExp(
  String.raw`\.(skip|skipIf|runIf)\b(${BRACKETS})?(?:\.\w+${BRACKETS})?\s*\(\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|${'`[^`]*`'})`,
  'g',
)

function conditionsIn(source: string): readonly Condition[] {
  return [...source.matchAll(CONDITIONAL)].map(([, kind = '', condition = '', title = '']) => ({
    title: titlePattern(title.slice(1, -1)),
    why: condition === '' ? 'always' : inWords(kind, condition.slice(1, -1).replace(/\s+/g, ' ')),
  }))
}

function inWords(kind: string, condition: string): string {
  const [, negated] = /^!([^ ]*)$/.exec(condition) ?? []
  const isLeftOut = (kind === 'skipIf') === (negated === undefined)
  return `${isLeftOut ? 'if' : 'unless'} ${(negated ?? condition).replace(/ !== undefined$/, '')}`
}

/** Matches a title with its places for values filled in: `%s`, `$name`, `${name}`. */
function titlePattern(title: string): RegExp {
  const parts = title.replace(/\\(.)/g, '$1').split(/%[a-z#]|\$\{[^}]*\}|\$[\w.]+/)
  return new RegExp(`(^| )${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}( |$)`)
}

function whySkipped(fullName: string, conditions: readonly Condition[]): string {
  return conditions.find(({ title }) => title.test(fullName))?.why ?? 'for another reason'
}
