import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { ContainerName, ProfileName, ServiceKey, TargetName } from '@davit/documents'
import { decodeField } from '@davit/target-runtime'
import type { ObservedMapping } from '@davit/transition'

import type { ActivityDefinition } from './activity.ts'
import { fromHexadecimal } from './answer-lines.ts'
import type { Machine } from './machine.ts'
import { mappingNamed, parseRecord, salvagedFields, type SalvagedFields } from './record.ts'

/** What a record says, and all that is needed to run activities of it without any other document. */
export interface ObservedRecord extends ObservedMapping {
  readonly definition: ActivityDefinition
  /** Of the boot during which it was written. */
  readonly bootId: string
  /** Whether its module can be asked for its status. */
  readonly answersStatus: boolean
}

/** A record that cannot be read as a whole: somebody has changed it. */
export interface DamagedRecord {
  readonly target: TargetName
  readonly container: ContainerName
  readonly key: ServiceKey
  readonly state: ObservedMapping['state']
  readonly running: boolean
  /** Its directory on the machine. */
  readonly directory: string
  readonly problem: string
  readonly fields: SalvagedFields
}

/** What another deployment has on the machine. */
export interface ForeignRecord {
  readonly profile: ProfileName
  readonly target: TargetName
  readonly container: string
  readonly pkg: string
  /** As it is called there; empty where its record does not say it. */
  readonly name: string
}

export interface Observation {
  /** Of the boot that the machine runs since. */
  readonly bootId: string
  readonly records: readonly ObservedRecord[]
  readonly damaged: readonly DamagedRecord[]
  readonly foreign: readonly ForeignRecord[]
  /** All that were ever set here, this one and others. */
  readonly profiles: readonly ProfileName[]
  /** Directories among the records that davit cannot have made. */
  readonly strange: readonly string[]
}

/** The records of a profile on a machine, of all targets that this machine is or once was; without those that cannot be read. */
export async function observeMappings(machine: Machine, profile: ProfileName): Promise<readonly ObservedRecord[]> {
  return (await observeMachine(machine, profile)).records
}

/** All that the records on a machine say to somebody who deploys a profile. */
export async function observeMachine(machine: Machine, profile: ProfileName): Promise<Observation> {
  const answer = new Answer(`${machine.facts.stateDirectory}/targets`, profile)
  for (const line of await machine.request('observe', [profile])) {
    if (answer.take(line)) continue
    throw new DavitError('bad-answer', `'${machine.address}' sent an answer that is none of ours`, {
      exitStatus: ExitStatus.unreachable,
    })
  }
  return answer.observation()
}

interface RecordLines {
  readonly target: TargetName
  readonly state: string
  readonly running: boolean
  /** Its directory's. */
  readonly name: string
  readonly lines: string[]
  answersStatus: boolean
  hasFailed: boolean
}

const MAPPING =
  /^mapping ([A-Za-z0-9_][\w.+-]*) (active|activating|deactivating|unknown) (running|ended) ([\w.+~-]+:[\w.+~-]+)$/
const OTHER = /^other ([A-Za-z0-9_][\w.+-]*) ([\w.+-]+)\/([\w.+~-]+):[\w.+~-]+ (\S+) (.*)$/

const PROFILE = /^[A-Za-z0-9_][\w.+-]{0,199}$/

class Answer {
  readonly #targets: string
  readonly #profile: ProfileName
  readonly #records: RecordLines[] = []
  readonly #foreign: ForeignRecord[] = []
  readonly #profiles = new Set<ProfileName>()
  readonly #strange: string[] = []
  #bootId = ''

  constructor(targets: string, profile: ProfileName) {
    this.#targets = targets
    this.#profile = profile
  }

  /** Whether the line is one of an answer. */
  take(line: string): boolean {
    const record = this.#records.at(-1)
    const space = `${line} `.indexOf(' ')
    const text = line.slice(space + 1)
    switch (line.slice(0, space)) {
      case 'field':
        record?.lines.push(text)
        return record !== undefined
      case 'answers':
        if (record !== undefined) record.answersStatus = true
        return record !== undefined
      case 'failed':
        if (record !== undefined) record.hasFailed = true
        return record !== undefined
      case 'gone':
        // Removed while it was read.
        return this.#records.pop() !== undefined
      case 'boot':
        this.#bootId = text
        return true
      case 'profile':
        if (PROFILE.test(text)) this.#profiles.add(text as ProfileName)
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
      strange: this.#strange,
    }
  }

  #takeMapping(line: string): boolean {
    const [, target, state = '', running, name = ''] = MAPPING.exec(line) ?? []
    if (target === undefined) return false
    const record = { target: target as TargetName, state, running: running === 'running', name }
    this.#records.push({ ...record, lines: [], answersStatus: false, hasFailed: false })
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
    const { target, running, name, lines, answersStatus, hasFailed } = record
    const { container, key } = mappingNamed(name, lines)
    const state = record.state === 'unknown' ? 'activating' : (record.state as ObservedMapping['state'])
    const place = { target, key, container, state: record.state }
    const parsed = parseRecord(lines, place)
    if (parsed.kind === 'record') {
      const { mapping, definition, bootId } = parsed
      return {
        mapping: { ...mapping, target },
        service: definition.service,
        state,
        running,
        hasFailed,
        definition,
        bootId,
        answersStatus,
      }
    }
    return {
      target,
      container,
      key,
      state,
      running,
      directory: `${this.#targets}/${target}/active/${this.#profile}/${name}`,
      problem: parsed.problem,
      fields: salvagedFields(lines),
    }
  }
}
