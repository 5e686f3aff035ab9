import { randomBytes } from 'node:crypto'

import type { Channel, Connection } from '@davit/connection'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { serverScript } from '@davit/target-runtime'

import { fromHexadecimal, readLines } from './answer-lines.ts'

/** A shell on the machine that answers requests (see `target-runtime/runtime/serve.sh`), one after the other. */
export interface Helper {
  /** The lines of the answer. Fields are words already. A refusal is a DavitError with the code that the machine gave. */
  request(operation: string, fields: readonly string[]): Promise<readonly string[]>
  /** As `request`, for what ends later: resolves with the exit status of the activity. */
  requestActivity(operation: string, fields: readonly string[]): Promise<number>
  close(): void
}

/** A refusal by the machine, with the lines that it sent before. */
export class RefusedRequest extends DavitError {
  readonly lines: readonly string[]

  constructor(code: string, message: string, lines: readonly string[]) {
    super(code, message)
    this.lines = lines
  }
}

interface Pending {
  readonly lines: string[]
  readonly resolve: (lines: readonly string[]) => void
  readonly reject: (error: unknown) => void
}

const UNREACHABLE = { exitStatus: ExitStatus.unreachable }
const START_DEADLINE_MS = 30_000
const MAX_GREETING_LINES = 2_000
const MAX_ANSWER_LINES = 200_000

export async function openHelper(connection: Connection): Promise<Helper> {
  const marker = `davit-${randomBytes(12).toString('hex')}`
  const helper = new ShellHelper(connection.address, await connection.run(serverScript(marker)))
  await helper.start(marker)
  return helper
}

class ShellHelper implements Helper {
  readonly #address: string
  readonly #channel: Channel
  readonly #pending = new Map<string, Pending>()
  readonly #activities = new Map<string, (status: number) => void>()
  /** Rejects when the helper is gone; never resolves. */
  readonly #gone: Promise<never>
  #lastId = 0

  constructor(address: string, channel: Channel) {
    this.#address = address
    this.#channel = channel
    this.#gone = new Promise((_, reject) => {
      channel.stdout.on('error', reject)
      channel.exit.then((status) => reject(this.#ended(status)), reject)
    })
    this.#gone.catch((error: unknown) => {
      for (const { reject } of this.#pending.values()) reject(error)
      this.#pending.clear()
    })
  }

  /** Waits for the marker; what comes before it was printed by the login shell. */
  async start(marker: string): Promise<void> {
    const greeting: string[] = []
    let timer: NodeJS.Timeout | undefined
    const started = new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(this.#silent()), START_DEADLINE_MS)
      let take = (line: string) => {
        if (line === marker) {
          take = (answer) => this.#takeAnswer(answer)
          resolve()
        } else if (greeting.push(line) > MAX_GREETING_LINES) reject(this.#silent())
      }
      readLines(this.#channel.stdout, (line) => take(line))
      readLines(this.#channel.stderr, (line) => this.#takeEvent(line))
    })
    try {
      await Promise.race([started, this.#gone])
    } catch (error) {
      this.#channel.close()
      throw greetingError(greeting, error)
    } finally {
      clearTimeout(timer)
    }
  }

  request(operation: string, fields: readonly string[]): Promise<readonly string[]> {
    return this.#send(this.#newId(), operation, fields)
  }

  async requestActivity(operation: string, fields: readonly string[]): Promise<number> {
    const id = this.#newId()
    const ended = new Promise<number>((resolve) => this.#activities.set(id, resolve))
    try {
      await this.#send(id, operation, fields)
      return await Promise.race([ended, this.#gone])
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
    const answer = new Promise<readonly string[]>((resolve, reject) => {
      this.#pending.set(id, { lines: [], resolve, reject })
      this.#channel.stdin.write(`${[id, operation, ...fields].join(' ')}\n`)
    })
    return Promise.race([answer, this.#gone])
  }

  #takeEvent(line: string): void {
    const [, id, status] = /^done (\d+) (\d+)$/.exec(line) ?? []
    if (id !== undefined) this.#activities.get(id)?.(Number(status))
  }

  #takeAnswer(line: string): void {
    const [id = '', sign, ...words] = line.split(' ')
    const request = this.#pending.get(id)
    if (request === undefined) return
    if (sign === '+' && request.lines.length < MAX_ANSWER_LINES) {
      request.lines.push(words.join(' '))
      return
    }
    this.#pending.delete(id)
    if (sign === '=') request.resolve(request.lines)
    else if (sign === '!')
      request.reject(new RefusedRequest(words[0] ?? 'failed', fromHexadecimal(words[1]).trim(), request.lines))
    else
      request.reject(
        new DavitError('bad-answer', `'${this.#address}' sent an answer that is none of ours`, UNREACHABLE),
      )
  }

  #silent(): DavitError {
    return new DavitError('no-answer', `'${this.#address}' did not start a shell in time`, UNREACHABLE)
  }

  #ended(status: number): DavitError {
    return new DavitError(
      'connection-lost',
      `the helper on '${this.#address}' ended with status ${status}`,
      UNREACHABLE,
    )
  }
}

function greetingError(greeting: readonly string[], error: unknown): unknown {
  const printed = greeting.filter((line) => line.trim() !== '').slice(0, 3)
  if (printed.length === 0) return error
  return new DavitError('no-shell', `the login shell printed '${printed.join(' | ')}' and ran nothing`, {
    exitStatus: ExitStatus.permission,
    hint: 'the account needs a login shell that runs commands',
    cause: error,
  })
}
