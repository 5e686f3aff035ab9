import { targetNameFor } from '@davit/capture'
import { hostsInSshConfiguration } from '@davit/connection'
import { quoted, type Report } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { type GivenTarget, loadTargets } from '@davit/models'
import { currentSystem } from '@davit/store'
import { interfaceKindOf } from '@davit/target'
import { type ToolContext, usageError } from '@davit/tool'

import { say } from './messages.ts'

export interface Arguments {
  readonly host: readonly string[]
  readonly infrastructure: string | undefined
  readonly fromSshConfig: boolean
  readonly interface: string
  readonly targetProperty: string
}

type Targets = ReadonlyMap<TargetName, GivenTarget>

/** Returns the targets to complete: those of a model, or one for each host. */
export async function wantedTargets(context: ToolContext<Arguments>): Promise<Targets> {
  const { args } = context
  if (args.fromSshConfig) return knownToSsh(context)
  if (args.infrastructure !== undefined) {
    if (args.host.length > 0) throw usageError('hosts and --infrastructure cannot be combined', 'omit one of them')
    return targetsOfModel(args.infrastructure, context)
  }
  if (args.host.length > 0) return targetsOfHosts(args.host, args)
  throw usageError('no hosts', 'name hosts as for ssh, or pass an infrastructure model with -i, or --from-ssh-config')
}

async function targetsOfModel(file: string, context: ToolContext<Arguments>): Promise<Targets> {
  const { args, environment, report, signal } = context
  const { targetProperty } = args
  const options = { environment, report, signal, targetProperty, system: currentSystem(environment) }
  const { targets, warnings } = await loadTargets(file, options)
  for (const diagnostic of warnings) report({ kind: 'diagnostic', diagnostic })
  return targets
}

/** Without patterns; the order is that of names, as in every model. */
async function knownToSsh({ args, environment, report }: ToolContext<Arguments>): Promise<Targets> {
  const { host: files, infrastructure } = args
  const [file, ...others] = files
  if (others.length > 0) throw usageError('there is only one ssh configuration', 'it includes others')
  if (infrastructure !== undefined) {
    throw usageError('--from-ssh-config and --infrastructure cannot be combined', 'omit one of them')
  }
  const hosts = await hostsInSshConfiguration(file, { environment })
  return targetsOfNames(hosts, args, report)
}

function targetsOfNames(hosts: readonly string[], args: Arguments, report: Report): Targets {
  const targets = new Map<TargetName, GivenTarget>()
  for (const host of hosts) {
    const name = targetNameFor(host, 'local')
    if (name === undefined || targets.has(name)) report(say('host-not-a-name', { host }))
    else targets.set(name, targetAt(host, args))
  }
  return targets
}

function targetsOfHosts(hosts: readonly string[], args: Arguments): Targets {
  const kind = interfaceKindOf(args.interface)
  if (kind === undefined) throw usageError(`'${args.interface}' cannot tell what a machine is`, 'use ssh or local')
  const targets = new Map<TargetName, GivenTarget>()
  for (const text of hosts) {
    const { name, address } = namedHost(text, kind)
    if (targets.has(name)) throw usageError(`two hosts are called '${name}'`, 'write NAME=HOST for one of them')
    targets.set(name, targetAt(address, args))
  }
  return targets
}

/** Reads `HOST` or `NAME=HOST`. */
function namedHost(text: string, kind: 'ssh' | 'local'): { readonly name: TargetName; readonly address: string } {
  const [, named, address = text] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  const name = named === undefined ? targetNameFor(address, kind) : targetNameFor(named, 'local')
  const isAsWritten = named === undefined || named === name
  if (address !== '' && name !== undefined && isAsWritten) return { name, address }
  const hint = 'write NAME=HOST, with a name of A-Z, a-z, 0-9 and _.+-'
  throw usageError(`${quoted(text)} gives no name for a target`, hint)
}

/** What differs from the defaults of davit is written. */
function targetAt(address: string, { interface: clientInterface, targetProperty }: Arguments): GivenTarget {
  return {
    properties: new Map([[targetProperty, address]]),
    containers: new Map(),
    attributes: new Map(),
    ...(interfaceKindOf(clientInterface) === 'ssh' ? {} : { clientInterface }),
    ...(targetProperty === 'hostname' ? {} : { targetProperty }),
  }
}
