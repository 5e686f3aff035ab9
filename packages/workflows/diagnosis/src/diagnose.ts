import { type Client, type PreparedShell, prepareShell, runProgram } from '@davit/client-interface'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { ProfileName } from '@davit/documents'
import { recordText, valuesOf } from '@davit/target'

import type { DiagnosedMapping } from './find-mappings.ts'

interface Surroundings extends Pick<Client, 'signal' | 'print' | 'complain' | 'environment'> {
  readonly profile: ProfileName
}

/** Runs a command in the environment of a service; resolves with its status. A single word is a command line. */
export async function runDiagnosis(
  diagnosed: DiagnosedMapping,
  command: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { words, properties } = await diagnosisOf(diagnosed, surroundings)
  // The script ends with an empty line.
  const complain = (line: string) => {
    if (line !== '') surroundings.complain(line)
  }
  const client = clientFor(diagnosed, { ...surroundings, complain })
  return runProgram(client, { operation: 'diagnose', words: [...words, ...command], properties })
}

/** Leaves a script on the machine, which becomes a shell that a terminal is connected to. */
export async function openDiagnosis(diagnosed: DiagnosedMapping, surroundings: Surroundings): Promise<PreparedShell> {
  const { words, properties } = await diagnosisOf(diagnosed, surroundings)
  const client = clientFor(diagnosed, surroundings)
  const prepared = await prepareShell(client, { operation: 'prepare_diagnosis', words, properties })
  if (prepared !== undefined) return prepared
  throw new DavitError('failed', `no shell can be opened on '${diagnosed.machine.address}'`)
}

function clientFor({ machine }: DiagnosedMapping, surroundings: Surroundings): Client {
  return { ...surroundings, connection: machine, answerSeconds: machine.answerSeconds }
}

async function diagnosisOf({ machine, mapping, definition }: DiagnosedMapping, { profile }: Surroundings) {
  const { target, container, service } = mapping
  if (machine.client !== undefined) throw refused(`target '${target}' is reached through a client executable`)
  if (definition === undefined) throw refused(`the record of the service on '${target}' is damaged`)
  const record = recordText(mapping, definition)
  const place = [machine.facts.stateDirectory, target, profile, container, service]
  const properties = [...(await valuesOf(mapping, definition, machine.secrets))]
  return { words: [...place, record.module, record.text], properties }
}

function refused(reason: string): DavitError {
  return new DavitError('no-environment', `there is no environment for a command: ${reason}`, {
    exitStatus: ExitStatus.unreachable,
    hint: "'davit-logs' shows what its activities have printed",
  })
}
