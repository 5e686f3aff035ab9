import type { Mapping, ProfileName } from '@davit/documents'
import { encodeField } from '@davit/target-runtime'

import { badAnswer } from '../helper/answer-lines.ts'
import type { Machine } from '../machine.ts'
import type { ActivityDefinition } from '../records/activity.ts'
import { valuesOf } from '../records/secrets.ts'

export interface LogCall {
  readonly profile: ProfileName
  readonly mapping: Mapping
  /** How it was activated. */
  readonly definition: ActivityDefinition
  /** Variables for this call, besides the properties of the container. */
  readonly variables: Readonly<Record<string, string>>
  readonly seconds: number
  /** Only so much of the end of the output is returned. */
  readonly bytes: number
}

export interface ProgramOutput {
  readonly text: string
  /** Whether the beginning is cut off. */
  readonly isCut: boolean
  /** Status of the module, unless it is 0. */
  readonly failure?: number
}

/**
 * Calls the module of a mapping with the activity `logs`; nothing is printed if it does not declare that. Rejects with `secret-unresolved` if
 * a secret that it needs cannot be resolved.
 */
export async function callLogs(machine: Machine<'logs'>, call: LogCall): Promise<ProgramOutput> {
  const { profile, mapping, definition, variables, seconds, bytes } = call
  const values = [...(await valuesOf(mapping, definition, machine.secrets)), ...Object.entries(variables)]
  const words = values.flatMap(([name, value]) => ['-secret', name, encodeField(value)])
  const place = [mapping.target, profile, String(seconds), String(bytes), mapping.container, mapping.service] as const
  const answer = await machine.request('call_logs', [...place, ...words])
  const output = outputIn(answer, bytes)
  if (output === undefined) throw badAnswer(machine.address)
  return output
}

/** Undefined for what is no answer. */
function outputIn(answer: readonly string[], bytes: number): ProgramOutput | undefined {
  const [, hexadecimal] = /^text ((?:[0-9a-f]{2})*)$/.exec(answer.join('\n')) ?? []
  if (hexadecimal === undefined || hexadecimal.length > 2 * bytes) return undefined
  const output = Buffer.from(hexadecimal, 'hex').toString()
  const isCut = hexadecimal.length === 2 * bytes
  const [, text, status] = /^([^]*)\ndavit:status (\d{1,3})\n$/.exec(output) ?? []
  return text === undefined ? { text: output, isCut } : { text, isCut, failure: Number(status) }
}
