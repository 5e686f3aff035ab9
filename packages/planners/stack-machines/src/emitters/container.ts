import { type BoundValue, finding, type Instance, isCapability, placeOf, portsOf } from '@davit/stack'
import { linkVariables } from '../addresses.ts'
import { membersOf, textIn } from '../endpoints.ts'
import { isVariable, withoutReferences } from '../shell.ts'
import type { Draft, Emitting, LinkAddresses } from '../unit.ts'
import { environmentText } from '../values.ts'
import { startScript } from './start-script.ts'
import { volumePath } from './volume.ts'

/** A container that runs a program of a package. */
export function emitContainer(leaf: Instance, emitting: Emitting): Draft | undefined {
  const problem = problemOf(leaf)
  if (problem !== undefined) {
    emitting.findings.push(finding('MU610', [leaf.fqn], { place: placeOf(leaf.spot), ...problem }))
    return undefined
  }
  if (!hasVariableNames(leaf, emitting)) return undefined
  const inputs = inputsOf(leaf, emitting)
  if (inputs === undefined) return undefined
  const [readyPort] = portsOf(leaf)
  return {
    type: 'process',
    protocol: textIn(leaf, 'protocol') ?? 'http',
    packageFor(addresses) {
      const environment = environmentOf(leaf, emitting, addresses)
      const script = startScript({ command: commandOf(leaf), environment, modes: modesOf(leaf, emitting), readyPort })
      return { build: { script, ...inputs } }
    },
  }
}

function problemOf(leaf: Instance): { readonly message: string; readonly hint: string } | undefined {
  const { properties, fqn } = leaf
  if (properties.has('image')) {
    return {
      message: `'${fqn}' has an image, and davit cannot make a container of a stack file run as one yet`,
      hint: 'use `build` or `command`, or davit/x/service with the module docker-container',
    }
  }
  const hasCommand = (commandOf(leaf)?.length ?? 0) > 0
  if (!properties.has('build') && !hasCommand) {
    return { message: `'${fqn}' has nothing to run`, hint: 'give it `build` or `command`' }
  }
  const texts = [...(commandOf(leaf) ?? []), ...[...membersOf(leaf, 'env').values()].map(environmentText)]
  if (!texts.some((text) => text.includes('\0'))) return undefined
  return { message: `'${fqn}' has a NUL character in its command or environment`, hint: 'no process can get it' }
}

/** Reports keys that cannot be variables. */
function hasVariableNames(leaf: Instance, { findings }: Emitting): boolean {
  const keys = ['env', 'args', 'volumes'].flatMap((name) => [...membersOf(leaf, name).keys()])
  const strange = keys.filter((key) => !isVariable(key))
  for (const key of strange) {
    const isPath = key.startsWith('/') && membersOf(leaf, 'volumes').has(key)
    const hint = 'names of variables are letters, digits and `_`, and do not begin with a digit'
    const place = placeOf(leaf.spot)
    const message = `only a container with an image can mount a volume at ${JSON.stringify(key)}`
    findings.push(
      isPath ? finding('MU610', [leaf.fqn], { place, message, hint }) : finding('MU514', [key], { place, hint }),
    )
  }
  return strange.length === 0
}

/** The package in which it runs: a directory, or what a script makes; undefined if a path is wrong. */
function inputsOf(leaf: Instance, { sourceOf }: Emitting): object | undefined {
  const [build, script] = [textIn(leaf, 'build'), textIn(leaf, 'script')]
  const path = build === undefined ? undefined : sourceOf(leaf, 'build', build)
  if (build !== undefined && path === undefined) return undefined
  if (script === undefined) return path === undefined ? {} : { inputs: { package: { source: path, name: 'package' } } }
  const args = [...membersOf(leaf, 'args')].map(
    ([name, value]) => [name, withoutReferences(environmentText(value))] as const,
  )
  const sources = path === undefined ? {} : { sources: { source: path } }
  return { inputs: { package: { build: { script, env: new Map(args), ...sources } } } }
}

function commandOf({ properties }: Instance): readonly string[] | undefined {
  const command = properties.get('command')
  return Array.isArray(command) ? (command as readonly string[]) : undefined
}

/** What `env` says counts, even if it has the name of another variable. */
function environmentOf(leaf: Instance, emitting: Emitting, addresses: LinkAddresses): ReadonlyMap<string, string> {
  const [port] = portsOf(leaf)
  const volumes = [...membersOf(leaf, 'volumes')].flatMap(([key, value]) =>
    chosenIn(value).map((volume) => [key, volumePath(emitting, volume)] as const),
  )
  return new Map([
    ...(port === undefined ? [] : [['PORT', String(port)] as const]),
    ...[...addresses].flatMap(([link, places]) => linkVariables(link, places)),
    ...volumes,
    ...[...membersOf(leaf, 'env')].map(([key, value]) => [key, environmentText(value)] as const),
  ])
}

/** A fileset gives its directories no mode, so whoever mounts one does. */
function modesOf(leaf: Instance, emitting: Emitting): ReadonlyMap<string, string> {
  const volumes = emitting.offersFilesets ? [...membersOf(leaf, 'volumes').values()].flatMap(chosenIn) : []
  return new Map(
    volumes.flatMap((volume) => {
      const mode = textIn(volume, 'mode')
      return mode === undefined ? [] : [[volumePath(emitting, volume), mode] as const]
    }),
  )
}

function chosenIn(value: BoundValue): readonly Instance[] {
  return isCapability(value) ? [value.chosen] : []
}
