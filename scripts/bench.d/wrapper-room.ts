import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchHost } from './bench-host.ts'
import { type StartOptions, textOf } from './measure.ts'
import type { Note } from './table.ts'
import { whereOf } from './where.ts'
import { roomFor, type Workplace } from './workplace.ts'

/** A service of type `wrapper`. */
export interface WrapperService {
  readonly name: string
  readonly target: string
  /** What its program does, as shell script; two programs that differ are two packages. */
  readonly script: string
  readonly dependsOn?: readonly string[]
  /** Whether its state moves with it. */
  readonly isStateful?: boolean
  /** Attributes that take the place of those of a wrapper. */
  readonly attributes?: object
}

export interface WrapperTarget {
  readonly name: string
  readonly cores?: number
  /** Reached over ssh by default. */
  readonly interface?: 'local'
  /** Containers besides that of wrappers. */
  readonly containers?: object
}

/** A directory from which davit-env deploys services of type `wrapper`. */
export interface WrapperRoom {
  readonly options: StartOptions
  /** Writes models of a version, and builds their packages. */
  prepare(version: string, services: readonly WrapperService[]): Promise<void>
  deploy(version: string): readonly string[]
  undeploy(version: string): readonly string[]
  /** Runs a command once more, and tells where its time went. */
  where(command: readonly string[], status?: number): Promise<readonly Note[]>
}

export function wrapperRoom(
  place: Workplace,
  name: string,
  { targets, hosts = [] }: { readonly targets: readonly WrapperTarget[]; readonly hosts?: readonly BenchHost[] },
): WrapperRoom {
  const directory = roomFor(place, name)
  const [host] = hosts
  const options: StartOptions = {
    directory,
    environment: {
      ...place.environment,
      PATH: `${place.bin}:${place.environment['PATH'] ?? ''}`,
      DAVIT_STATE_DIR: join(directory, 'state'),
      DAVIT_STORE_DIR: join(directory, 'store'),
      ...(host === undefined ? {} : { DAVIT_SSH_CONFIG: host.configuration }),
    },
  }
  const deploy = (version: string) => [
    'davit-env',
    ...['services', 'infrastructure', 'distribution'].flatMap((role) => [`--${role}`, `${version}/${role}.json`]),
  ]
  return {
    options,
    async prepare(version, services) {
      writeModels(join(directory, version), services, targets)
      await textOf([...deploy(version), '--dry-run'], options)
    },
    deploy,
    undeploy: (version) => ['davit-env', '--undeploy', '-i', `${version}/infrastructure.json`],
    where: async (command, status = 0) => (await whereOf(command, { ...options, hosts, status })).notes,
  }
}

function writeModels(directory: string, services: readonly WrapperService[], targets: readonly WrapperTarget[]): void {
  mkdirSync(directory)
  const write = (role: string, model: object) => writeFileSync(join(directory, `${role}.json`), JSON.stringify(model))
  write('services', Object.fromEntries(services.map((service) => [service.name, serviceOf(service)])))
  write('infrastructure', Object.fromEntries(targets.map((target) => [target.name, targetOf(target)])))
  write('distribution', Object.fromEntries(services.map(({ name, target }) => [name, [target]])))
}

function serviceOf({ script, dependsOn = [], isStateful = false, attributes = {} }: WrapperService): object {
  const build =
    'mkdir -p "$out/bin"; printf "#!/bin/sh\\n%s\\n" "$program" >"$out/bin/wrapper"; chmod 755 "$out/bin/wrapper"'
  return {
    type: 'wrapper',
    deployState: isStateful,
    dependsOn,
    pkg: { build: { env: { program: script }, script: build } },
    ...attributes,
  }
}

function targetOf({ name, cores, interface: clientInterface, containers = {} }: WrapperTarget): object {
  return {
    properties: { hostname: name },
    containers: { wrapper: {}, ...containers },
    ...(cores === undefined ? {} : { numOfCores: cores }),
    ...(clientInterface === undefined ? {} : { clientInterface }),
  }
}

/** Services one after the other, each of which depends on the one before; placed on the targets in turn. */
export function chainOf(
  length: number,
  targets: readonly WrapperTarget[],
  scriptOf: (index: number) => string,
): readonly WrapperService[] {
  return servicesOn(length, targets, scriptOf).map((service, index, all) => ({
    ...service,
    dependsOn: all.slice(Math.max(index - 1, 0), index).map(({ name }) => name),
  }))
}

/** Services without dependencies, placed on the targets in turn. */
export function servicesOn(
  count: number,
  targets: readonly WrapperTarget[],
  scriptOf: (index: number) => string,
): readonly WrapperService[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `s${index}`,
    target: targets[index % targets.length]?.name ?? '',
    script: scriptOf(index),
  }))
}
