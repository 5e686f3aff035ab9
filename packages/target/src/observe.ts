import type { ProfileName, TargetName } from '@davit/documents'
import type { ObservedMapping } from '@davit/transition'

import type { ActivityDefinition } from './activity.ts'
import type { Machine } from './machine.ts'
import { parseRecord } from './record.ts'

/** What a record says, and all that is needed to run activities of it without any other document. */
export interface ObservedRecord extends ObservedMapping {
  readonly definition: ActivityDefinition
  /** Of the boot during which it was written. */
  readonly bootId: string
}

interface RecordLines {
  readonly target: TargetName
  readonly state: ObservedMapping['state']
  readonly running: boolean
  readonly lines: string[]
}

/** The records of a profile on a machine, of all targets that this machine is or once was. */
export async function observeMappings(machine: Machine, profile: ProfileName): Promise<readonly ObservedRecord[]> {
  const records: RecordLines[] = []
  for (const line of await machine.request('observe', [profile])) {
    const [, target, state, running] =
      /^mapping (\S+) (active|activating|deactivating) (running|ended)$/.exec(line) ?? []
    if (target !== undefined) {
      records.push({
        target: target as TargetName,
        state: state as ObservedMapping['state'],
        running: running === 'running',
        lines: [],
      })
    } else if (line.startsWith('field ')) records.at(-1)?.lines.push(line.slice('field '.length))
  }
  return records.filter(({ lines }) => lines.length > 0).map((record) => observedRecord(record, machine))
}

function observedRecord({ target, state, running, lines }: RecordLines, { address }: Machine): ObservedRecord {
  const { mapping, definition, bootId } = parseRecord(lines, { address })
  return { mapping: { ...mapping, target }, service: definition.service, state, running, definition, bootId }
}
