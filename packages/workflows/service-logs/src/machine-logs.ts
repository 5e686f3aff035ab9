import type { TargetName } from '@davit/documents'
import { type FilePart, type Machine, readFiles, type ReadFiles } from '@davit/target'

import { findLogs } from './find-logs.ts'
import { type FoundLog, idOf } from './found-log.ts'
import type { Clock } from './line-time.ts'
import type { LogLine } from './log-line.ts'
import type { LogTerms } from './log-terms.ts'
import { say } from './messages.ts'
import { type ProgramState, readProgram } from './read-program.ts'
import { LineSplitter } from './split-lines.ts'
import { timeLines } from './time-lines.ts'

type FileLog = Extract<FoundLog, { readonly kind: 'file' }>

interface FileState {
  readonly splitter: LineSplitter
  position: string | undefined
}

/** Of each log at a time; with `--since`, also of the first time, as the time may be long ago. */
const BYTES = 1024 * 1024
const BYTES_SINCE = 4 * BYTES
/** Hexadecimal digits of one answer. */
const ANSWER_BYTES = 16 * BYTES

/** The logs of the services on some targets of one machine, and how far they have been read. They outlive connections. */
export class MachineLogs {
  readonly targets: readonly TargetName[]
  /** Names of the services that were found. */
  readonly services = new Set<string>()
  readonly #terms: LogTerms
  readonly #files = new Map<string, FileState>()
  readonly #programs = new Map<string, ProgramState>()
  #logs: readonly FoundLog[] = []

  constructor(targets: readonly TargetName[], terms: LogTerms) {
    this.targets = targets
    this.#terms = terms
  }

  /** Finds which logs there are now. */
  async find(machine: Machine<'logs'>): Promise<void> {
    const { logs, services } = await findLogs(machine, this.targets, this.#terms)
    this.#logs = logs
    for (const service of services) this.services.add(service)
  }

  /** Reads what is new in each log: at first the last lines. Returns a list for each. */
  async read(machine: Machine<'logs'>): Promise<readonly (readonly LogLine[])[]> {
    const files = this.#logs.filter((log): log is FileLog => log.kind === 'file')
    const lists: (readonly LogLine[])[] = []
    let clock: Clock = { now: 0, zone: 0 }
    for (const some of chunksOf(files, ANSWER_BYTES / 2 / this.#bytes)) {
      // oxlint-disable-next-line no-await-in-loop
      const answer = await readFiles(machine, this.#filesToRead(some))
      clock = answer
      lists.push(...this.#linesIn(answer, some, machine))
    }
    for (const log of this.#logs) {
      if (log.kind !== 'program') continue
      const state = this.#programs.get(idOf(log))
      // oxlint-disable-next-line no-await-in-loop
      const read = await readProgram(machine, { log, state, bytes: this.#bytes, clock }, this.#terms)
      this.#programs.set(idOf(log), read.state)
      lists.push(read.lines)
    }
    return lists.map((lines) => this.#recent(lines)).filter((lines) => lines.length > 0)
  }

  /** Returns lines that have no end yet. */
  end(): readonly (readonly LogLine[])[] {
    const now = Date.now()
    return this.#logs.map((log) => {
      const rest = this.#files.get(idOf(log))?.splitter.end() ?? []
      return this.#recent(timeLines(rest, { source: log.source, clock: { now, zone: 0 }, otherwise: now }))
    })
  }

  get #bytes(): number {
    return this.#terms.since === undefined ? BYTES : BYTES_SINCE
  }

  #filesToRead(logs: readonly FileLog[]) {
    const files = logs.map((log) => ({ path: log.path, position: this.#stateOf(log).position }))
    return { files, bytes: this.#bytes, lines: this.#terms.lines }
  }

  #linesIn(answer: ReadFiles, logs: readonly FileLog[], { secrets }: Machine<'logs'>): readonly (readonly LogLine[])[] {
    return answer.parts.flatMap((part) => {
      const log = logs[part.index]
      if (log === undefined) return []
      this.#tellLeftOut(log, part)
      const state = this.#stateOf(log)
      state.position = part.position
      // As a whole, since a secret may have several lines.
      const complete = state.splitter.take(part.text).join('\n')
      const lines = complete === '' ? [] : secrets.redact(complete).split('\n')
      return [timeLines(lines, { source: log.source, clock: answer, otherwise: part.changed ?? answer.now })]
    })
  }

  #tellLeftOut({ source: { target, service } }: FileLog, { skipped: bytes }: FilePart): void {
    if (bytes > 0) this.#terms.report(say('log-left-out', { target, service, bytes }))
  }

  #stateOf(log: FileLog): FileState {
    const known = this.#files.get(idOf(log)) ?? { splitter: new LineSplitter(), position: undefined }
    this.#files.set(idOf(log), known)
    return known
  }

  #recent(lines: readonly LogLine[]): readonly LogLine[] {
    const { since } = this.#terms
    return since === undefined ? lines : lines.filter(({ at }) => at >= since)
  }
}

function chunksOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const count = Math.max(1, Math.ceil(items.length / size))
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}
