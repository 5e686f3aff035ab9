import type { Machine } from '@davit/target'

import { isOfMachine } from './find-logs.ts'
import type { LogLine } from './log-line.ts'
import type { LogTerms, OpenLogs } from './log-terms.ts'
import type { MachineLogs } from './machine-logs.ts'
import { say } from './messages.ts'

/** After so many turns, it is looked again which logs there are, since services may have been deployed anew. */
const TURNS = 5
/** How long an answer may be due before somebody who watches is told. */
const PATIENCE_MS = 10_000

/** A machine whose logs are read again and again, over one connection after the other. */
export class FollowedMachine {
  /** Whether the last attempt to read has failed. */
  isLost = false
  readonly #logs: MachineLogs
  readonly #open: OpenLogs
  readonly #terms: LogTerms
  #machine: Machine<'logs'> | undefined
  #isTold = false
  #turn = 0

  constructor(logs: MachineLogs, open: OpenLogs, terms: LogTerms) {
    this.#logs = logs
    this.#open = open
    this.#terms = terms
  }

  /** Reads what is new; nothing if the machine is lost, which is told once. */
  async read(): Promise<readonly (readonly LogLine[])[]> {
    const impatient = setTimeout(() => this.#tellLoss('it does not answer'), PATIENCE_MS)
    try {
      const lists = await this.#readNow()
      this.#tellReturn()
      return lists
    } catch (error) {
      if (!isOfMachine(error, this.#terms)) throw error
      this.#tellLoss(error.message)
      this.isLost = true
      this.#machine?.close()
      this.#machine = undefined
      return []
    } finally {
      clearTimeout(impatient)
    }
  }

  async #readNow(): Promise<readonly (readonly LogLine[])[]> {
    const [first] = this.#logs.targets
    if (first === undefined) return []
    this.#machine ??= await this.#open(first)
    if (this.#turn % TURNS === 0 || this.isLost) await this.#logs.find(this.#machine)
    this.#turn += 1
    return this.#logs.read(this.#machine)
  }

  #tellLoss(reason: string): void {
    if (this.#isTold) return
    this.#isTold = true
    for (const target of this.#logs.targets) this.#terms.report(say('logs-interrupted', { target, reason }))
  }

  #tellReturn(): void {
    if (this.#isTold) for (const target of this.#logs.targets) this.#terms.report(say('logs-continue', { target }))
    this.#isTold = false
    this.isLost = false
  }
}
