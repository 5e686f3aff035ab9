import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'

import type { Channel, Connection } from '@davit/connection'
import type { DavitError } from '@davit/diagnostics'
import { serverScript } from '@davit/target-runtime'

import { badAnswer, readLines } from './answer-lines.ts'
import { lostError, noAnswer, noShell } from './helper-errors.ts'
import { refusalOf } from './refused-request.ts'

export { RefusedRequest } from './refused-request.ts'

/** A shell on the machine that answers requests (see `target-runtime/runtime/serve.sh`), one after the other. */
export interface Helper {
  /** The lines of the answer. Fields are words already. A refusal is a DavitError with the code that the machine gave. */
  request(operation: string, fields: readonly string[]): Promise<readonly string[]>
  /** As `request`, for what ends later: resolves with the exit status of the activity. */
  requestActivity(operation: string, fields: readonly string[]): Promise<number>
  /** Whether it has ended: nothing that is asked of it from now on reaches the machine. */
  readonly isGone: boolean
  close(): void
}

interface Pending<Result> {
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

interface PendingAnswer extends Pending<readonly string[]> {
  readonly lines: string[]
  characters: number
}

const START_DEADLINE_MS = 30_000
const MAX_GREETING_LINES = 2_000
const MAX_GREETING_CHARACTERS = 1024 * 1024
/** An answer of an honest machine is far from these: records of all services, or names of all packages. */
const MAX_ANSWER_LINES = 200_000
const MAX_ANSWER_CHARACTERS = 64 * 1024 * 1024
/** Lines of which nobody has asked any: what utilities complain of on standard error. */
const MAX_STRAY_LINES = 10_000

export async function openHelper(
  connection: Pick<Connection, 'address' | 'run'>,
  scriptOf: (marker: string) => string = serverScript,
): Promise<Helper> {
  const marker = `davit-${randomBytes(12).toString('hex')}`
  const helper = new ShellHelper(connection.address, await connection.run(scriptOf(marker)))
  await helper.start(marker)
  return helper
}

class ShellHelper implements Helper {
  readonly #address: string
  readonly #channel: Channel
  readonly #answers = new Map<string, PendingAnswer>()
  readonly #activities = new Map<string, Pending<number>>()
  /** Resolves with the reason when the helper is gone. */
  readonly #gone: Promise<DavitError>
  #lost: DavitError | undefined
  /** With which the shell has ended. */
  #status: number | undefined
  #lastId = 0
  #strayLines = 0

  constructor(address: string, channel: Channel) {
    this.#address = address
    this.#channel = channel
    this.#gone = new Promise((resolve) => {
      const lose = (reason: unknown) => {
        this.#lost ??= lostError(reason, address)
        for (const { reject } of [...this.#answers.values(), ...this.#activities.values()]) reject(this.#lost)
        this.#answers.clear()
        this.#activities.clear()
        resolve(this.#lost)
      }
      for (const output of [channel.stdout, channel.stderr]) output.on('error', lose)
      channel.exit.then((status) => {
        this.#status = status
        lose(`its shell ended with status ${status}`)
      }, lose)
    })
  }

  /** Waits for the marker; what comes before it was printed by the login shell. */
  async start(marker: string): Promise<void> {
    const greeting: string[] = []
    let length = 0
    let timer: NodeJS.Timeout | undefined
    const started = new Promise<DavitError | 'started'>((resolve) => {
      timer = setTimeout(() => resolve(noAnswer(this.#address)), START_DEADLINE_MS)
      let take = (line: string) => {
        if (line === marker) {
          take = (answer) => this.#takeAnswer(answer)
          resolve('started')
          return
        }
        length += line.length
        if (length > MAX_GREETING_CHARACTERS || greeting.push(line) > MAX_GREETING_LINES)
          resolve(noAnswer(this.#address))
      }
      readLines(this.#channel.stdout, (line) => take(line))
      readLines(this.#channel.stderr, (line) => this.#takeEvent(line))
    })
    const result = await Promise.race([started, this.#gone])
    clearTimeout(timer)
    if (result === 'started') return
    const status = this.#status
    if (status !== undefined) await endOf(this.#channel.stdout)
    this.#channel.close()
    throw status === undefined ? result : noShell({ address: this.#address, status, greeting })
  }

  get isGone(): boolean {
    return this.#lost !== undefined
  }

  request(operation: string, fields: readonly string[]): Promise<readonly string[]> {
    return this.#send(this.#newId(), operation, fields)
  }

  async requestActivity(operation: string, fields: readonly string[]): Promise<number> {
    const id = this.#newId()
    const ended = new Promise<number>((resolve, reject) => this.#activities.set(id, { resolve, reject }))
    // Both are told when the helper is gone, and only one of them is waited for then.
    ended.catch(() => {})
    try {
      await this.#send(id, operation, fields)
      return await ended
    } finally {
      this.#activities.delete(id)
    }
  }

  close(): void {
    this.#channel.stdin.end()
  }

  #newId(): string {
    this.#lastId += 1
    return String(this.#lastId)
  }

  #send(id: string, operation: string, fields: readonly string[]): Promise<readonly string[]> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost)
    return new Promise((resolve, reject) => {
      this.#answers.set(id, { lines: [], characters: 0, resolve, reject })
      this.#channel.stdin.write(`${[id, operation, ...fields].join(' ')}\n`)
    })
  }

  #takeEvent(line: string): void {
    const [, id, status] = /^done (\d+) (\d{1,3})$/.exec(line) ?? []
    const activity = id === undefined ? undefined : this.#activities.get(id)
    if (activity === undefined) this.#countStray()
    else activity.resolve(Number(status))
  }

  /** Somebody who talks without end is no helper. */
  #countStray(): void {
    this.#strayLines += 1
    if (this.#strayLines !== MAX_STRAY_LINES) return
    this.#channel.stdout.destroy(new Error('it sends what nobody has asked for'))
    this.#channel.close()
  }

  #takeAnswer(line: string): void {
    const [id = '', sign, ...words] = line.split(' ')
    const request = this.#answers.get(id)
    if (request === undefined) return this.#countStray()
    if (sign === '+' && !isExcessive(request, line)) {
      request.lines.push(words.join(' '))
      return
    }
    this.#answers.delete(id)
    if (sign === '=') request.resolve(request.lines)
    else if (sign === '!') request.reject(refusalOf(words, request.lines))
    else request.reject(badAnswer(this.#address))
  }
}

function isExcessive(request: PendingAnswer, line: string): boolean {
  request.characters += line.length
  return request.lines.length >= MAX_ANSWER_LINES || request.characters > MAX_ANSWER_CHARACTERS
}

/** Of an output whose program has ended; something that it left in the background may hold it open. */
async function endOf(output: Readable): Promise<void> {
  await finished(output, { signal: AbortSignal.timeout(500) }).catch(() => {})
}
