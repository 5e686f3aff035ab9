import type { Manifest } from '@davit/documents'
import { writeJson } from '@davit/languages'
import {
  type CompiledStack,
  type Emission,
  fileOfArgument,
  finding,
  type Instance,
  placeOf,
  placeOfValue,
  type StackFinding,
  unknownIntrinsics,
} from '@davit/stack'
import { addressOf, hostFinder, type PlaceOf, type Targets } from './addresses.ts'
import { deployedPlaces } from './deployed-places.ts'
import { emitContainer } from './emitters/container.ts'
import { emitEvent } from './emitters/event.ts'
import { emitGateway } from './emitters/gateway.ts'
import { emitLambda } from './emitters/lambda.ts'
import { emitService } from './emitters/service.ts'
import { emitVolume } from './emitters/volume.ts'
import { type Endpoint, isAutoscaler, stackName } from './endpoints.ts'
import { hasFetched, withMarks } from './fetched.ts'
import { groupsOf } from './groups.ts'
import { endpointIn, linksOf } from './links.ts'
import { ordersOf } from './order.ts'
import { oddPlacements } from './odd-placements.ts'
import { placeGroups } from './place-groups.ts'
import { portFinder, type PortsOf } from './ports.ts'
import { replicasOf } from './replicas.ts'
import { serviceNames } from './service-names.ts'
import { type Settings, settingsOf } from './settings.ts'
import { pathFinder } from './source-paths.ts'
import type { Addresses, Emitter, Emitting, Unit } from './unit.ts'

/** What each intrinsic stack becomes. */
const EMITTERS: ReadonlyMap<string, Emitter> = new Map([
  ['davit/x/service', emitService],
  ['mu/container', emitContainer],
  ['mu/event', emitEvent],
  ['mu/func', emitLambda],
  ['mu/gateway', emitGateway],
  ['mu/lambda', emitLambda],
  ['mu/volume', emitVolume],
])

/** Stacks that machines know; an autoscaler is no service itself. */
const KNOWN_STACKS: ReadonlySet<string> = new Set([...EMITTERS.keys(), 'mu/autoscaler'])

export interface Machines {
  readonly targets: Targets
  readonly placeOf?: PlaceOf
  /** Property with the address of a target that names no other one; `hostname` by default. */
  readonly targetProperty?: string
  /** What runs stays where it is. */
  readonly deployed: Manifest | undefined
}

/** Makes the text of an architecture model of a stack, as JSON, or reports all that prevents it. */
export function architectureOfStack(stack: CompiledStack, machines: Machines): Emission {
  const unfit = [...nothingToRun(stack), ...unknownIntrinsics(stack, KNOWN_STACKS)]
  if (unfit.length > 0) return { kind: 'refused', findings: unfit }
  const findings: StackFinding[] = []
  const settings = settingsOf(stack.options.cluster, findings)
  const replicas = replicasOf(stack, findings)
  // Problems are told in the order of the tree.
  const leaves = [...stack.instances.values()].filter((one) => one.body.isIntrinsic && !isAutoscaler(one))
  const portsOf = portFinder(leaves, settings, findings)
  const units = unitsOf(leaves, { stack, machines, settings, portsOf, findings })
  if (findings.length > 0) return { kind: 'refused', findings }
  const odd = oddPlacements(stack, machines.targets, leaves)
  const places = placesOf(units, { stack, machines, replicas, portsOf, findings })
  if (findings.length > 0) return { kind: 'refused', findings: [...odd, ...findings] }
  const hostOf = hostFinder(machines, settings.addressProperty, findings)
  const isFetched = hasFetched(stack)
  const services = servicesOf(units, { after: ordersOf(stack), places, portsOf, hostOf, isFetched })
  if (findings.length > 0) return { kind: 'refused', findings }
  const text = writeJson({ services, infrastructure: machines.targets })
  return { kind: 'emitted', text: `${text}\n`, findings: odd }
}

/** Refuses what has nothing to run; to deploy it would be to undeploy everything. */
function nothingToRun({ root, instances }: CompiledStack): readonly StackFinding[] {
  const { body, fqn, spot } = root
  const place = placeOf(spot)
  if (body.isAbstract) {
    const message = `'${fqn}' is abstract, so there is nothing to deploy`
    return [finding('MU505', [fqn, fqn], { message, place, hint: 'name a stack that is based on it' })]
  }
  if (instances.size > 0) return []
  return [finding('MU504', [], { message: `'${fqn}' has no services, so there is nothing to deploy`, place })]
}

type Units = ReadonlyMap<Instance, Unit>

interface UnitContext {
  readonly stack: CompiledStack
  readonly machines: Machines
  readonly settings: Settings
  readonly portsOf: PortsOf
  readonly findings: StackFinding[]
}

function unitsOf(leaves: readonly Instance[], context: UnitContext): Units {
  const names = serviceNames(leaves, context.findings)
  const emitting = emittingFor(context, names)
  const units = new Map<Instance, Unit>()
  for (const leaf of leaves) {
    const links = linksOf(leaf, context)
    const draft = EMITTERS.get(stackName(leaf))?.(leaf, emitting)
    if (draft !== undefined) units.set(leaf, { leaf, service: emitting.serviceOf(leaf), draft, links })
  }
  return units
}

function emittingFor(context: UnitContext, names: ReadonlyMap<Instance, string>): Emitting {
  const { stack, machines, settings, portsOf, findings } = context
  const pathIn = pathFinder(stack.options.files)
  const types = new Set([...machines.targets.values()].flatMap(({ containers }) => [...containers.keys()] as string[]))
  return {
    findings,
    volumeDirectory: settings.volumeDirectory,
    offersFilesets: types.has('fileset') || !types.has('wrapper'),
    portsOf,
    endpointIn: (value) => endpointIn(value, context),
    serviceOf: (leaf) => names.get(leaf) ?? leaf.fqn,
    pathIn,
    sourceOf(leaf, property, text) {
      const found = pathIn(fileOfArgument(leaf, property), text)
      if ('path' in found) return found.path
      findings.push(finding('MU103', [text], { place: placeOfValue(leaf, property), hint: found.problem }))
      return undefined
    },
  }
}

interface PlacesContext {
  readonly stack: CompiledStack
  readonly machines: Machines
  readonly replicas: ReadonlyMap<Instance, number>
  readonly portsOf: PortsOf
  readonly findings: StackFinding[]
}

type Places = ReadonlyMap<Instance, readonly string[]>

function placesOf(units: Units, { stack, machines, replicas, portsOf, findings }: PlacesContext): Places {
  const deployed = deployedPlaces(machines.deployed)
  const context = {
    targets: machines.targets,
    portsOf,
    placement: stack.options.cluster?.placement ?? new Map<string, readonly string[]>(),
    typeOf: (leaf: Instance) => units.get(leaf)?.draft.type ?? '',
    replicasOf: (leaf: Instance) => replicas.get(leaf) ?? 1,
    deployedOn: (leaf: Instance) => deployed.get(units.get(leaf)?.service ?? '') ?? new Set<string>(),
  }
  return placeGroups(groupsOf([...units.keys()]), context, findings)
}

interface ServicesContext {
  readonly after: ReadonlyMap<Instance, ReadonlySet<Instance>>
  readonly places: Places
  readonly portsOf: PortsOf
  readonly hostOf: (target: string) => string
  /** Whether strangers may have written a part of the stack. */
  readonly isFetched: boolean
}

function servicesOf(units: Units, context: ServicesContext): ReadonlyMap<string, object> {
  const nameOf = (leaf: Instance) => units.get(leaf)?.service ?? leaf.fqn
  return new Map(
    [...units.values()].map((unit) => {
      const { leaf, service, draft, links } = unit
      const ports = context.portsOf(leaf)
      const [port] = ports
      const linked = new Set([...links.values()].map((endpoint) => endpoint.leaf))
      const after = [...(context.after.get(leaf) ?? [])].filter((one) => !linked.has(one)).map(nameOf)
      const made = draft.packageFor(addressesOf(unit, units, context))
      const own = {
        type: draft.type,
        stack: stackName(leaf),
        ...(port === undefined ? {} : { port, ports, protocol: draft.protocol ?? 'http' }),
        ...(draft.deployState === undefined ? {} : { deployState: draft.deployState }),
        targets: context.places.get(leaf) ?? [],
        dependsOn: new Map([...links].map(([name, endpoint]) => [name, nameOf(endpoint.leaf)])),
        activatesAfter: after.toSorted(),
        pkg: context.isFetched ? withMarks(made) : made,
      }
      return [service, new Map<string, unknown>([...(draft.attributes ?? []), ...Object.entries(own)])]
    }),
  )
}

function addressesOf({ links }: Unit, units: Units, { places, hostOf }: ServicesContext): Addresses {
  const of = ({ leaf, port }: Endpoint) => {
    const protocol = units.get(leaf)?.draft.protocol ?? 'http'
    return (places.get(leaf) ?? []).map((target) => addressOf(protocol, hostOf(target), port))
  }
  return { of, links: new Map([...links].map(([name, endpoint]) => [name, of(endpoint)])) }
}
