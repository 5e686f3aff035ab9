import type { ReportEvent } from '@davit/diagnostics'
import {
  type Manifest,
  Manifest as ManifestFormat,
  type StorePath,
  type TargetName,
  validateDocument,
} from '@davit/documents'
import { definitionOf, type Machine, type OriginalDeployment, recordText, type ShellTarget } from '@davit/target'
import { encodeField } from '@davit/target-runtime'

export const PROFILE = 'default' as never
const path = (name: string) => `/nix/store/${'0'.repeat(32)}-${name}` as StorePath

/** A manifest from services in the form `web process t1`, with their types. */
export function manifest(...placed: readonly string[]): Manifest {
  const rows = placed.map((line) => line.split(' ') as [string, string, string])
  const names = [...new Set(rows.map(([, , target]) => target))]
  const target = {
    properties: { hostname: 'localhost' },
    containers: Object.fromEntries(rows.map(([, type]) => [type, {}])) as object,
    system: 'x86_64-linux',
    clientInterface: 'ssh',
    targetProperty: 'hostname',
  }
  const document = {
    store: { kind: 'nix', directory: '/nix/store' },
    profiles: Object.fromEntries(names.map((name) => [name, path(`profile-${name}`)])),
    services: Object.fromEntries(
      rows.map(([name, type]) => [`key-${name}`, { name, pkg: path(name), type }]),
    ) as object,
    infrastructure: Object.fromEntries(names.map((name) => [name, target])),
    serviceMappings: rows.map(([name, type, one]) => ({ service: `key-${name}`, target: one, container: type })),
    snapshotMappings: [],
  }
  return validateDocument(ManifestFormat, document, { file: 'manifest' })
}

export function original({
  lock,
  version = '1',
}: { readonly lock?: string; readonly version?: string } = {}): OriginalDeployment {
  return { profile: PROFILE, path: path(`original-${version}`), isLocked: lock !== undefined, lock, manifest: '' }
}

/** The line with which a machine describes a deployment of Disnix. */
export function originalLine({ lock, path: where }: OriginalDeployment): string {
  const hexadecimal = (text: string) => Buffer.from(text).toString('hex')
  return `original ${lock === undefined ? 'free' : hexadecimal(lock)} default ${hexadecimal(where)} -`
}

/** Lines of the record of a service of a manifest. */
export function record(from: Manifest, name: string, state = 'active'): readonly string[] {
  const mapping = from.serviceMappings.find(({ service }) => service === `key-${name}`)
  if (mapping === undefined) throw new Error(`there is no ${name}`)
  const { module, text } = recordText(mapping, definitionOf(from, mapping))
  const lines = [...text.split('\n'), `module ${encodeField(module)}`, 'boot 1']
  return [
    `mapping ${mapping.target} ${state} ended ${mapping.container}:${mapping.service}`,
    ...lines.map((line) => `field ${line}`),
  ]
}

export type Answers = Readonly<Record<string, readonly string[] | ((fields: readonly string[]) => readonly string[])>>

/** A target whose machine answers from a table; `asked` has the requests, in their order. */
export function tableTarget(
  name: string,
  answers: Answers = {},
  more: Partial<Machine> = {},
): { readonly target: ShellTarget; readonly asked: readonly string[] } {
  const asked: string[] = []
  const request = async (operation: string, fields: readonly string[]) => {
    asked.push(operation === 'adopt_record' ? `${operation} ${fields[4]}` : operation)
    const answer = answers[operation] ?? []
    return typeof answer === 'function' ? answer(fields) : answer
  }
  const facts = { bootId: '1', place: name, stateDirectory: '/state', userId: 0 }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const machine = { address: name, facts, answerSeconds: 1, request, ...more } as unknown as Machine
  return { target: { name: name as TargetName, machine }, asked }
}

/** Opens the helper for adoption that is the machine of the target. */
export const machines = { on: async ({ machine }: ShellTarget) => machine as never }

export function reports() {
  const said: string[] = []
  const report = (event: ReportEvent) => {
    if ('message' in event) said.push(`${event.kind}: [${event.target ?? ''}] ${event.message}`)
  }
  return { said, report }
}
