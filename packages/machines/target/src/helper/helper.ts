import type { Channel, Connection } from '@davit/connection'
import { type DavitError, type Trace, traced } from '@davit/diagnostics'
import { type HelperText, helperText, type HelperToStart, type OperationName } from '@davit/target-runtime'

import type { ActivityListener } from './activity-listener.ts'
import { newMarker } from './after-marker.ts'
import { MAX_STRAY_LINES, readLines } from './answer-lines.ts'
import { readGreeting, START_SECONDS } from './greeting.ts'
import { endlessGreeting, lostError, noAnswer, noShell } from './helper-errors.ts'
import { loadScript, sessionOf } from './load-script.ts'
import { pendingAnswers, type PendingAnswers } from './pending-answers.ts'
import { PROOF_OF_LIFE } from './proof-of-life.ts'
import { type Requests, requestsTo } from './requests.ts'
import {
  ANSWER_SECONDS,
  endlessError,
  longestAnswer,
  type SilenceWatch,
  silentError,
  startLimit,
  watchSilence,
} from './silence.ts'
import { endOfOutput } from './stream-tail.ts'
import { traceAnswer } from './trace-answer.ts'

export { RefusedRequest } from './refused-request.ts'

/** A shell on the machine that answers requests one after the other (see `target-runtime/runtime/serve.sh`). */
export interface Helper {
  /** Resolves with the lines of the answer. Fields are already encoded as words. A refusal rejects with the machine's code. */
  request(operation: OperationName, fields: readonly string[]): Promise<readonly string[]>
  /** Starts an activity, and resolves with its exit status. */
  requestActivity(operation: OperationName, fields: readonly string[], listener?: ActivityListener): Promise<number>
  /** Whether it is lost: no further request reaches the machine. */
  readonly isGone: boolean
  /** Whether it was lost because it fell silent: it may still be running, and still carry out its requests. */
  readonly isSilent: boolean
  close(): void
}

/** The role is `deploy` by default. */
export interface HelperOptions extends Partial<Pick<HelperToStart, 'role' | 'client' | 'predecessor'>> {
  /** How long an answer may be due before a silent helper counts as lost; see `silence.ts`. */
  readonly answerSeconds?: number | undefined
  readonly trace?: Trace | undefined
}

interface PendingActivity extends Pick<ActivityListener, 'told'> {
  readonly resolve: (status: number) => void
  readonly reject: (error: unknown) => void
}

export async function openHelper(
  connection: Pick<Connection, 'address' | 'run'>,
  { role = 'deploy', answerSeconds = ANSWER_SECONDS, trace, ...terms }: HelperOptions = {},
): Promise<Helper> {
  const marker = newMarker()
  const { script, define } = helperText({ role, marker, ...terms })
  const span = {
    kind: 'helper',
    name: 'start helper',
    place: connection.address,
    fields: { out: script.length },
  } as const
  return traced(trace, span, async () => {
    const channel = await loadScript(connection, { script, marker, session: sessionOf(role) })
    const helper = new ShellHelper(channel, { address: connection.address, answerSeconds, trace, define })
    await helper.start(marker)
    return helper
  })
}

interface ShellHelperTerms extends Pick<HelperText, 'define'> {
  readonly address: string
  readonly answerSeconds: number
  readonly trace: Trace | undefined
}

class ShellHelper implements Helper {
  readonly #address: string
  readonly #channel: Channel
  readonly #answers: PendingAnswers
  readonly #trace: Trace | undefined
  readonly #requests: Requests
  readonly #activities = new Map<string, PendingActivity>()
  readonly #watch: SilenceWatch
  readonly #giveUp: (error: DavitError) => void
  /** Resolves with the reason when the helper is gone. */
  readonly #gone: Promise<DavitError>
  #lost: DavitError | undefined
  /** Exit status of the shell, once it has ended. */
  #status: number | undefined
  #lastId = 0
  #strayLines = 0
  isSilent = false

  constructor(channel: Channel, { address, answerSeconds, trace, define }: ShellHelperTerms) {
    this.#trace = trace
    this.#address = address
    this.#channel = channel
    this.#answers = pendingAnswers(address)
    this.#requests = requestsTo(channel.stdin, { define, written: () => this.#watch.heard() })
    let lose: (reason: unknown) => void = () => {}
    this.#giveUp = (error) => {
      this.isSilent = true
      lose(error)
      channel.close()
    }
    this.#watch = watchSilence({
      patience: () => this.#patience(answerSeconds),
      longest: () => longestAnswer(answerSeconds, this.#answers.slowness()),
      askForLife: () => this.#askForLife(),
      onSilence: (seconds, what) => this.#giveUp((what === 'silent' ? silentError : endlessError)(address, seconds)),
    })
    this.#gone = new Promise((resolve) => {
      lose = (reason) => {
        this.#lost ??= lostError(reason, address)
        this.#watch.stop()
        this.#answers.rejectAll(this.#lost)
        for (const { reject } of this.#activities.values()) reject(this.#lost)
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

  /** Waits for the marker; the login shell printed what comes before it. */
  async start(marker: string): Promise<void> {
    const { greeting, found } = readGreeting(this.#channel.stdout, marker, (line) => this.#takeAnswer(line))
    readLines(this.#channel.stderr, (line) => this.#count(this.#takeEnd(line) || this.#takeAnswerToQuestion(line)))
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, START_SECONDS * 1000, 'late')
    })
    const result = await Promise.race([found, late, this.#gone])
    clearTimeout(timer)
    if (result === true) return
    const status = this.#status
    if (status !== undefined) await endOfOutput(this.#channel.stdout)
    this.#channel.close()
    if (status !== undefined) throw noShell({ address: this.#address, status, greeting })
    if (result === 'late') throw noAnswer(this.#address, START_SECONDS)
    throw result === false ? endlessGreeting(this.#address) : result
  }

  get isGone(): boolean {
    return this.#lost !== undefined
  }

  request(operation: OperationName, fields: readonly string[]): Promise<readonly string[]> {
    return this.#send(this.#newId(), operation, fields)
  }

  async requestActivity(
    operation: OperationName,
    fields: readonly string[],
    { sent, withinSeconds, ...listener }: ActivityListener = {},
  ): Promise<number> {
    const id = this.#newId()
    const ended = new Promise<number>((resolve, reject) => this.#activities.set(id, { ...listener, resolve, reject }))
    // Both promises reject when the helper is lost, and only one of them is awaited then.
    ended.catch(() => {})
    if (this.#lost === undefined) sent?.()
    const end = this.#trace?.({ kind: 'activity', name: operation, place: this.#address })
    const limit = startLimit(withinSeconds, (seconds) => this.#giveUp(endlessError(this.#address, seconds)))
    try {
      await this.#send(id, operation, fields)
      return await ended
    } finally {
      limit.stop()
      this.#activities.delete(id)
      end?.()
    }
  }

  close(): void {
    this.#requests.end()
  }

  #newId(): string {
    return String(++this.#lastId)
  }

  #send(id: string, operation: OperationName, fields: readonly string[]): Promise<readonly string[]> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost)
    const answer = this.#answers.add(id, operation)
    const size = this.#requests.send(id, [operation, ...fields])
    traceAnswer(answer, this.#trace, { name: operation, place: this.#address, out: size })
    this.#watch.heard()
    return answer
  }

  #patience(seconds: number): number | undefined {
    const slowness = this.#answers.slowness() ?? (this.#activities.size === 0 ? undefined : 1)
    return slowness === undefined ? undefined : seconds * slowness
  }

  /** An activity may be silent for any time, but the helper that reports its end may not. */
  #askForLife(): void {
    const isIdle = this.#activities.size > 0 && this.#answers.slowness() === undefined
    if (isIdle) this.#send(this.#newId(), ...PROOF_OF_LIFE).catch(() => {})
  }

  #takeEnd(line: string): boolean {
    const [, id = '', status] = /^done (\d+) (\d{1,3})$/.exec(line) ?? []
    const activity = this.#activities.get(id)
    activity?.resolve(Number(status))
    return activity !== undefined
  }

  #takeAnswerToQuestion(line: string): boolean {
    const [, id = '', number, status = ''] = /^told (\d+) (\d{1,6}) (\d{1,3}|gone)$/.exec(line) ?? []
    return this.#activities.get(id)?.told?.(Number(number), status) === true
  }

  /** Counts lines that answer no request; endless ones do not come from a helper, and none of them proves that it works. */
  #count(isAnswer: boolean): void {
    if (isAnswer) return this.#watch.heard()
    if (++this.#strayLines !== MAX_STRAY_LINES) return
    this.#channel.stdout.destroy(new Error('it sends lines that answer no request'))
    this.#channel.close()
  }

  #takeAnswer(line: string): void {
    const taken = this.#answers.take(line)
    if (taken !== 'stray') this.#requests.answered(line.slice(0, line.indexOf(' ')))
    if (taken === 'end') this.#watch.settled()
    this.#count(taken !== 'stray')
  }
}
