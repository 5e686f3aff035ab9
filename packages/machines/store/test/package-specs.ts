import type { BuildSpec, PackageRequest, PackageSpec, ServiceName } from '@davit/documents'
import { environment } from '@davit/process'
import { currentSystem } from '../src/store.ts'

export const HERE = currentSystem(environment())

export interface BuildExtras {
  readonly sources?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly inputs?: Readonly<Record<string, PackageSpec>>
  readonly network?: boolean
  readonly timeLimitSeconds?: number
  readonly sizeLimitBytes?: number
  readonly parameters?: string
  readonly isFetched?: boolean
}

export function build(name: string, script: string, extras: BuildExtras = {}): BuildSpec {
  const { sources = {}, env = {}, inputs = {}, network = false, ...rest } = extras
  return {
    kind: 'build',
    name,
    script,
    sources: new Map(Object.entries(sources)),
    env: new Map(Object.entries(env)),
    inputs: new Map(Object.entries(inputs)),
    network,
    ...rest,
  }
}

export function wantedBy(service: string, spec: PackageSpec, system = HERE): PackageRequest {
  return { spec, system, wantedBy: { service: service as ServiceName } }
}
