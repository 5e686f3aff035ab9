import type { ProfileName, TargetName } from '@davit/documents'
import { decodeField, type RecordState, recordStates } from '@davit/target-runtime'

import { fromHexadecimal } from '../helper/answer-lines.ts'
import { type OriginalDeployment, originalIn } from '../originals/original.ts'
import type { ActivityDefinition } from './activity.ts'
import type { DamagedRecord, ForeignRecord, Observation, ObservedRecord } from './observation.ts'
import { mappingNamed, parseRecord, salvagedFields } from './record.ts'

interface RecordLines {
  readonly target: TargetName
  readonly state: string
  readonly running: boolean
  /** Name of its directory. */
  readonly name: string
  readonly lines: string[]
  declared?: readonly string[]
  hasFailed: boolean
  isLocked: boolean
  isRestored: boolean
  activity?: string
}

const MAPPING = /^mapping ([A-Za-z0-9_][\w.+-]*) ([a-z]+) (running|ended) ([\w.+~-]+:[\w.+~-]+)$/
/** State of a record whose state is another version's. */
const UNKNOWN = 'unknown'
const ACTIVITY = /^[a-z][a-z_-]{0,99}$/
const OTHER = /^other ([A-Za-z0-9_][\w.+-]*) ([\w.+-]+)\/([\w.+~-]+):[\w.+~-]+ (\S+) (.*)$/

const PROFILE = /^[A-Za-z0-9_][\w.+-]{0,199}$/

/** Adds a fact to a record; returns false if the fact is not about a record. */
function takeFact(record: RecordLines, fact: string, text: string): boolean {
  switch (fact) {
    case 'field':
      record.lines.push(text)
      return true
    case 'declares':
      record.declared = text.split(' ').filter((activity) => ACTIVITY.test(activity))
      return true
    case 'failed':
      record.hasFailed = true
      return true
    case 'restored':
      record.isRestored = true
      return true
    case 'locked':
      record.isLocked = true
      return text === ''
    case 'activity':
      if (ACTIVITY.test(text)) record.activity = text
      return true
    default:
      return false
  }
}

/** What was restored must not be restored once more when its service is activated again. */
function withoutRestored(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !line.startsWith('restore '))
}

function stateIn({ component, toRestore }: ActivityDefinition) {
  return { ...(component === undefined ? {} : { component }), ...(toRestore === undefined ? {} : { toRestore }) }
}

/** Returns the target in the path of a trial. */
function targetOfTrial(path: string): readonly TargetName[] {
  const [, target] = /\/([A-Za-z0-9_][\w.+-]*)\/trials\/[^/]+$/.exec(path) ?? []
  return target === undefined ? [] : [target as TargetName]
}

/** What a machine reports of its records, parsed line by line. */
export class ObservationAnswer {
  readonly #targets: string
  readonly #profile: ProfileName
  readonly #records: RecordLines[] = []
  readonly #foreign: ForeignRecord[] = []
  readonly #profiles = new Set<ProfileName>()
  readonly #originals: OriginalDeployment[] = []
  #originalLock: string | undefined
  readonly #trials: TargetName[] = []
  readonly #strange: string[] = []
  #bootId = ''

  constructor(targets: string, profile: ProfileName) {
    this.#targets = targets
    this.#profile = profile
  }

  /** Takes a line; returns false if it does not belong in an answer. */
  take(line: string): boolean {
    const space = `${line} `.indexOf(' ')
    const text = line.slice(space + 1)
    const record = this.#records.at(-1)
    if (record !== undefined && takeFact(record, line.slice(0, space), text)) return true
    switch (line.slice(0, space)) {
      case 'gone':
        // The record was removed while it was read.
        return this.#records.pop() !== undefined
      case 'boot':
        this.#bootId = text
        return true
      case 'profile':
        if (PROFILE.test(text)) this.#profiles.add(text as ProfileName)
        return true
      case 'original':
        this.#takeOriginal(line)
        return true
      case 'locked':
        this.#originalLock = fromHexadecimal(text)
        return true
      case 'trial':
        this.#trials.push(...targetOfTrial(text))
        return true
      case 'strange':
        this.#strange.push(fromHexadecimal(text))
        return true
      default:
        return this.#takeMapping(line) || this.#takeOther(line)
    }
  }

  observation(): Observation {
    const read = this.#records.map((record) => this.#read(record))
    return {
      bootId: this.#bootId,
      records: read.filter((one): one is ObservedRecord => 'definition' in one),
      damaged: read.filter((one): one is DamagedRecord => 'problem' in one),
      foreign: this.#foreign,
      profiles: [...this.#profiles],
      originals: this.#originals,
      originalLock: this.#originalLock,
      trials: this.#trials,
      strange: this.#strange,
    }
  }

  /** Leaves out what is no deployment, such as a link to somewhere else. */
  #takeOriginal(line: string): void {
    const original = originalIn(line)
    if (original !== undefined) this.#originals.push(original)
  }

  #takeMapping(line: string): boolean {
    const [, target, state = '', running, name = ''] = MAPPING.exec(line) ?? []
    if (target === undefined || ![...recordStates(), UNKNOWN].includes(state)) return false
    const record = { target: target as TargetName, state, running: running === 'running', name }
    this.#records.push({ ...record, lines: [], hasFailed: false, isLocked: false, isRestored: false })
    return true
  }

  #takeOther(line: string): boolean {
    const [, target, profile, container = '', pkg = '', name = ''] = OTHER.exec(line) ?? []
    if (target === undefined) return false
    const place = { target: target as TargetName, profile: profile as ProfileName, container }
    this.#foreign.push({ ...place, pkg: decodeField(pkg), name: decodeField(name) })
    return true
  }

  #read(record: RecordLines): ObservedRecord | DamagedRecord {
    const { target, running, name, lines, declared, hasFailed, isLocked, isRestored, activity } = record
    const { container, key } = mappingNamed(name, lines)
    const state = record.state === UNKNOWN ? 'activating' : (record.state as RecordState)
    const place = { target, key, container, state: record.state }
    const begun = activity === undefined ? {} : { activity }
    const parsed = parseRecord(isRestored ? withoutRestored(lines) : lines, place)
    if (parsed.kind === 'record') {
      const { mapping, definition, bootId } = parsed
      return {
        mapping: { ...mapping, target },
        service: definition.service,
        state,
        running,
        ...begun,
        hasFailed,
        isLocked: isLocked || activity === 'lock' || activity === 'unlock',
        definition,
        ...stateIn(definition),
        bootId,
        ...(declared === undefined ? {} : { declared }),
      }
    }
    return {
      target,
      container,
      key,
      state,
      running,
      ...begun,
      directory: `${this.#targets}/${target}/active/${this.#profile}/${name}`,
      problem: parsed.problem,
      fields: salvagedFields(lines),
    }
  }
}
