import type { ProfileName, TargetName } from '@davit/documents'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { ObservedMapping } from '@davit/transition'

import type { ActivityDefinition } from './activity.ts'
import type { Machine } from './machine.ts'
import { parseRecord, unreadableRecord } from './record.ts'

/** What a record says, and all that is needed to run activities of it without any other document. */
export interface ObservedRecord extends ObservedMapping {
  readonly definition: ActivityDefinition
  /** Of the boot during which it was written. */
  readonly bootId: string
}

interface RecordLines {
  readonly target: TargetName
  /** As the place of the record says it. */
  readonly key: string
  readonly state: ObservedMapping['state']
  readonly running: boolean
  readonly lines: string[]
}

/** The records of a profile on a machine, of all targets that this machine is or once was. */
export async function observeMappings(machine: Machine, profile: ProfileName): Promise<readonly ObservedRecord[]> {
  const records: RecordLines[] = []
  for (const line of await machine.request('observe', [profile])) {
    const [, target, state, running, key] = MAPPING.exec(line) ?? []
    if (target !== undefined && key !== undefined) {
      records.push({
        target: target as TargetName,
        key,
        state: state as ObservedMapping['state'],
        running: running === 'running',
        lines: [],
      })
    } else if (line.startsWith('field ')) records.at(-1)?.lines.push(line.slice('field '.length))
    else throw new DavitError('bad-answer', `'${machine.address}' sent an answer that is none of ours`, UNREACHABLE)
  }
  // A record that was removed while it was read has no lines.
  return records.filter(({ lines }) => lines.length > 0).map((record) => observedRecord(record, machine))
}

const MAPPING =
  /^mapping ([A-Za-z0-9_][\w.+-]*) (active|activating|deactivating) (running|ended) ([A-Za-z0-9_][\w.+-]*)$/
const UNREACHABLE = { exitStatus: ExitStatus.unreachable }

function observedRecord({ target, key, state, running, lines }: RecordLines, { address }: Machine): ObservedRecord {
  const { mapping, definition, bootId } = parseRecord(lines, {
    place: `of '${key}' on target '${target}' (${address})`,
  })
  if (mapping.service !== key)
    throw unreadableRecord(`of '${key}' on target '${target}' (${address})`, 'it is of another service')
  return { mapping: { ...mapping, target }, service: definition.service, state, running, definition, bootId }
}
