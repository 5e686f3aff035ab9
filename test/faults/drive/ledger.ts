import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { type Fault, nameOf, parseFault } from '../inject/fault.ts'
import type { RoundResult } from './round.ts'

/** Identifies a whole run. */
export interface Subject {
  /** The commit, including uncommitted changes. */
  readonly commit: string
  readonly seed: number
  readonly extent: 'one-of-each' | 'every-signal'
  /** Text that the name of a fault has to contain. */
  readonly name: string
}

/** A file with all rounds of a whole run and the results so far, so that several runs can share the rounds. */
export interface Ledger {
  readonly subject: Subject
  readonly faults: readonly Fault[]
  /** Results by the number of the fault. */
  results(): ReadonlyMap<number, RoundResult>
  /** Appends a result. It is written immediately, so that it survives if the loop is killed. */
  add(result: RoundResult): void
}

/** Opens a ledger. Returns undefined if there is no such file yet. */
export function openLedger(file: string): Ledger | undefined {
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const [first, ...entries] = whole.split('\n').slice(0, -1)
  const head = parseLine(file, first) as Head
  const faults = head.rounds?.map(parseFault).filter((fault) => fault !== undefined) ?? []
  if (head.subject === undefined || faults.length === 0 || faults.length !== head.rounds?.length) throw notOne(file)
  // A loop that was killed may have left a partial line.
  truncateSync(file, Buffer.byteLength(whole))
  const results = new Map(entries.map((entry) => resultIn(file, faults, entry)))
  return ledgerOf(file, { subject: head.subject, faults, results })
}

export function createLedger(file: string, subject: Subject, faults: readonly Fault[]): Ledger {
  writeFileSync(file, `${JSON.stringify({ subject, rounds: faults.map(nameOf) } satisfies Head)}\n`, { flag: 'wx' })
  return ledgerOf(file, { subject, faults, results: new Map() })
}

/** The first line of the file. */
interface Head {
  readonly subject?: Subject
  /** Names of faults. */
  readonly rounds?: readonly string[]
}

/** Every other line of the file. Messages are not kept. */
interface Entry extends Pick<RoundResult, 'isStruck' | 'status' | 'problems'> {
  readonly round: number
  readonly name: string
}

interface Kept extends Pick<Ledger, 'subject' | 'faults'> {
  readonly results: Map<number, RoundResult>
}

function ledgerOf(file: string, { subject, faults, results }: Kept): Ledger {
  const numbers = new Map(faults.map((fault, number) => [fault, number]))
  return {
    subject,
    faults,
    results: () => results,
    add(result) {
      const { fault, isStruck, status, problems } = result
      const round = numbers.get(fault)
      if (round === undefined) throw new Error(`'${file}' does not contain the round '${nameOf(fault)}'`)
      results.set(round, result)
      const entry: Entry = { round, name: nameOf(fault), isStruck, status, problems }
      appendFileSync(file, `${JSON.stringify(entry)}\n`)
    },
  }
}

function resultIn(file: string, faults: readonly Fault[], line: string): readonly [number, RoundResult] {
  const { round, name, ...result } = parseLine(file, line) as Entry
  const fault = faults[round]
  if (fault === undefined || nameOf(fault) !== name) throw notOne(file)
  return [round, { ...result, fault, messages: '' }]
}

function parseLine(file: string, line = ''): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw notOne(file)
  }
}

function notOne(file: string): Error {
  return new Error(`'${file}' is not a file of scripts/faults --resume`)
}
