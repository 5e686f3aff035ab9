import { randomBytes } from 'node:crypto'

import type { ProfileName, ServiceMapping, TargetName } from '@davit/documents'

import { encodeField } from '@davit/target-runtime'

import { RefusedRequest } from '../helper/helper.ts'
import { MAX_LOSSES } from '../helper/reconnect.ts'
import { isConnectionLost, type Machine } from '../machine.ts'
import {
  type ActivityDefinition,
  type ActivityResult,
  definitionFields,
  failureOf,
  RUNNER_STATUS,
  STATUS_UNKNOWN,
} from './activity.ts'
import { beginOnce } from './begin-once.ts'
import { valuesOf } from './secrets.ts'

interface Questions {
  readonly profile: ProfileName
  readonly target: TargetName
  /** Mappings on this target, all of which are asked with one request. */
  readonly mappings: readonly ServiceMapping[]
  /** How they were activated, in the same order, if that is known: what their modules need to be called with. */
  readonly definitions?: readonly (ActivityDefinition | undefined)[]
  /** How many modules are asked at a time. */
  readonly atATime: number
}

export interface LockQuestions extends Questions {
  readonly activity: 'lock' | 'unlock'
  /** Token of the lock. */
  readonly token: string
  /** Time after which a module is stopped and counts as refusing; without it, there is no limit. */
  readonly timeoutSeconds?: number | undefined
}

export type ServiceAnswer = Exclude<ActivityResult, { readonly kind: 'not-begun' }>

/**
 * Calls the modules of active services with `lock` or `unlock`, and returns their answers in order. If the helper or the connection
 * is lost, it is replaced, and the questions go on without it. Rejects if the machine cannot be asked for the answers, and with
 * `lock-lost` if the questions were not allowed to begin, or with `secret-unresolved` before that.
 */
export async function askServices(machine: Machine, questions: LockQuestions): Promise<readonly ServiceAnswer[]> {
  const { mappings } = questions
  if (mappings.length === 0) return []
  try {
    const answers = await answersUnderLock(machine, questions)
    const answerTo = async (mapping: ServiceMapping, index: number): Promise<ServiceAnswer> => {
      const status = answers.get(index + 1) ?? String(STATUS_UNKNOWN)
      if (status === '0') return { kind: 'succeeded' }
      if (status === GONE) return { kind: 'failed', message: 'there is no record of it', log: '' }
      return failureOf(machine, { ...questions, mapping }, Number(status))
    }
    return await Promise.all(mappings.map(answerTo))
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.code === 'lock-lost') throw error
    return mappings.map(() => ({ kind: 'failed', message: error.messageWithRemedy, log: '' }))
  }
}

export interface StatusQuestions extends Questions {
  readonly timeoutSeconds: number
}

export type ServiceStatus = 'runs' | 'does-not-run' | 'unknown' | 'gone'

/**
 * Calls the modules of active mappings with `status`, which needs no lock and changes nothing. The status is `unknown` if a module does
 * not answer in time, and `gone` if no record is left. Rejects with `secret-unresolved` if a secret that a module needs cannot be resolved.
 */
export async function askStatuses(
  machine: Machine<'deploy' | 'query'>,
  questions: StatusQuestions,
): Promise<readonly ServiceStatus[]> {
  if (questions.mappings.length === 0) return []
  const askAll = () => ask(machine, { ...questions, token: '-', activity: 'status', name: newName() })
  const answers = await askAll().catch((error: unknown) => {
    if (!isConnectionLost(error)) throw error
    return askAll()
  })
  return questions.mappings.map((_, index) => statusOf(answers.get(index + 1)))
}

export interface UnrecordedService {
  readonly profile: ProfileName
  readonly mapping: ServiceMapping
  /** How it would have been activated. */
  readonly definition: ActivityDefinition
  readonly timeoutSeconds: number
}

/**
 * Calls the module of a mapping without a record with `status`. Rejects if the module is not on the machine, or a secret that it needs
 * cannot be resolved.
 */
export async function askUnrecorded(
  machine: Machine<'query'>,
  { profile, mapping, definition, timeoutSeconds }: UnrecordedService,
): Promise<ServiceStatus> {
  const { target, container, service } = mapping
  const words = await definitionFields(machine, { mapping, definition })
  const { answers, told } = answersTo({ mappings: [mapping] })
  const fields = [target, profile, String(timeoutSeconds), container, service, ...words] as const
  const withinSeconds = limitOf(machine, { mappings: [mapping], timeoutSeconds, atATime: 1 })
  await machine.requestActivity('ask_unrecorded', fields, { told, withinSeconds })
  return statusOf(answers.get(1))
}

function statusOf(answer: string | undefined): ServiceStatus {
  if (answer === GONE) return 'gone'
  if (answer === '0') return 'runs'
  return answer === undefined || RUNNER_STATUS.has(Number(answer)) ? 'unknown' : 'does-not-run'
}

/** Answer for a mapping without a record. */
const GONE = 'gone'

/** Statuses by the number of their question, from 1. */
type Answers = ReadonlyMap<number, string>

interface NamedQuestions extends Questions {
  readonly token: string
  readonly activity: string
  readonly timeoutSeconds?: number | undefined
  /** Identifies these questions on the machine. */
  readonly name: string
}

async function answersUnderLock(machine: Machine, questions: LockQuestions): Promise<Answers> {
  const named = { ...questions, name: newName() }
  const begun = await beginOnce((sent) => ask(machine, named, sent))
  if (begun.kind === 'not-begun') throw begun.error
  const isComplete = begun.kind === 'ended' && begun.result.size === questions.mappings.length
  return isComplete ? begun.result : awaitAnswers(machine, named)
}

async function ask(machine: Machine<'deploy' | 'query'>, questions: NamedQuestions, sent = () => {}): Promise<Answers> {
  const { target, profile, token, activity, timeoutSeconds = 0, atATime, name } = questions
  const limits = [String(timeoutSeconds), String(Math.max(1, atATime))] as const
  const { answers, told } = answersTo(questions)
  const words = [...(await secretWords(machine, questions)), ...wordsOf(questions)]
  const fields = [target, profile, token, activity, ...limits, name, ...words] as const
  await machine.requestActivity('ask', fields, { sent, told, withinSeconds: limitOf(machine, questions) })
  return answers
}

/** How long a machine may take that stops each module in time; undefined if modules may take any time. */
function limitOf(
  { answerSeconds }: Pick<Machine, 'answerSeconds'>,
  { mappings, timeoutSeconds = 0, atATime }: Pick<NamedQuestions, 'mappings' | 'timeoutSeconds' | 'atATime'>,
): number | undefined {
  if (timeoutSeconds === 0) return undefined
  const turns = Math.ceil(mappings.length / Math.max(1, atATime))
  return turns * (timeoutSeconds + STOP_SECONDS) + answerSeconds
}

/** How long it may take to end a module that is stopped. */
const STOP_SECONDS = 10

async function awaitAnswers(machine: Machine, questions: NamedQuestions): Promise<Answers> {
  const { target, profile, activity, name } = questions
  const fields = [target, profile, activity, name, ...wordsOf(questions)] as const
  for (let losses = 0; ; losses += 1) {
    const { answers, told } = answersTo(questions)
    try {
      await machine.requestActivity('await_asked', fields, { told, withinSeconds: limitOf(machine, questions) })
      return answers
    } catch (error) {
      if (!isConnectionLost(error) || losses === MAX_LOSSES) throw error
    }
  }
}

/** Collects the answers, each of which is due once. */
function answersTo({ mappings }: Pick<Questions, 'mappings'>) {
  const answers = new Map<number, string>()
  const told = (number: number, status: string) => {
    const isDue = number >= 1 && number <= mappings.length && !answers.has(number)
    if (isDue) answers.set(number, status)
    return isDue
  }
  return { answers, told }
}

async function secretWords(
  { secrets }: Pick<Machine, 'secrets'>,
  { mappings, definitions = [] }: Questions,
): Promise<readonly string[]> {
  const words: string[] = []
  for (const [index, mapping] of mappings.entries()) {
    const definition = definitions[index]
    if (definition === undefined) continue
    for (const [name, value] of await valuesOf(mapping, definition, secrets))
      words.push('-secret', String(index + 1), name, encodeField(value))
  }
  return words
}

function wordsOf({ mappings }: Questions): readonly string[] {
  return mappings.flatMap(({ container, service }) => [container, service])
}

function newName(): string {
  return randomBytes(8).toString('hex')
}
