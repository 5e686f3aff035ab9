import type { ReportEvent } from '@davit/diagnostics'
import type { StorePath, TargetName } from '@davit/documents'
import type { UnbuiltDerivation } from '@davit/store'
import type { TargetBuildOutcome, TargetStore } from '@davit/target'
import { type DelegationTerms, planDelegation } from '../src/plan-delegation.ts'
import type { RunDelegationOptions } from '../src/run-delegation.ts'
import { nameOf, out } from './graphs.ts'

export interface Faults {
  /** Names of packages that do not build. */
  readonly broken?: readonly string[]
  /** `'send one'`, `'build one'` or `'fetch one'` fails. */
  readonly lost?: readonly string[]
  readonly unreachable?: ReadonlyMap<TargetName, Error>
  /** Targets that are the machine of the first target. */
  readonly together?: readonly string[]
  /** Called when builds begin. */
  onBuild?(names: readonly string[]): Promise<void> | void
}

export interface Network {
  readonly plan: ReturnType<typeof planDelegation>
  readonly options: RunDelegationOptions
  /** What happened, such as `'one: build web lib'`. */
  readonly log: string[]
  readonly events: ReportEvent[]
  /** Paths that are valid on the coordinator, and those that are kept there. */
  readonly valid: ReadonlySet<StorePath>
  readonly kept: ReadonlySet<StorePath>
  /** Paths that targets keep, such as `'one: web-source'`. */
  readonly keptThere: ReadonlySet<string>
  readonly abort: AbortController
  /** Maximum number of simultaneous calls of a kind. */
  readonly most: { transfers: number; builds: Map<string, number> }
}

/** A simulated coordinator and targets: sets of paths that refuse what could not work, and fail on request. */
export function network(terms: DelegationTerms, faults: Faults = {}): Network {
  const { unbuilt, builders, storeKind } = terms
  const sources = [...unbuilt.values()].flatMap(({ requires }) => requires)
  const valid = new Set<StorePath>([...sources, ...(storeKind === 'nix' ? unbuilt.keys() : [])])
  const kept = new Set<StorePath>()
  const abort = new AbortController()
  const shared: Shared = {
    terms,
    faults,
    valid,
    log: [],
    keptThere: new Set(),
    most: { transfers: 0, builds: new Map() },
    transfers: 0,
  }
  const [first] = builders.keys()
  const stores = new Map<string, TargetStore>()
  const targets = [...builders].flatMap(([name, { cores }]) => {
    if (faults.unreachable?.has(name) === true) return []
    const machine = faults.together?.includes(name) === true ? (first as string) : name
    const store = stores.get(machine) ?? simulatedTarget(machine, shared)
    stores.set(machine, store)
    return [[name, { cores, store }] as const]
  })
  const events: ReportEvent[] = []
  const options: RunDelegationOptions = {
    store: {
      kind: storeKind,
      async closure(paths) {
        requireAll(paths, valid, 'the coordinator')
        return paths
      },
      async protect(paths) {
        requireAll(paths, valid, 'the coordinator')
        for (const path of paths) kept.add(path)
      },
    },
    targets: new Map(targets),
    unreachable: faults.unreachable ?? new Map(),
    maxTransfers: 2,
    useSubstitutes: false,
    report: (event) => events.push(event),
    signal: abort.signal,
  }
  const { log, most, keptThere } = shared
  return { plan: planDelegation(terms), options, log, events, valid, kept, keptThere, abort, most }
}

interface Shared {
  readonly terms: DelegationTerms
  readonly faults: Faults
  readonly valid: Set<StorePath>
  readonly log: string[]
  readonly keptThere: Set<string>
  readonly most: Network['most']
  transfers: number
}

function simulatedTarget(machine: string, shared: Shared): TargetStore {
  const { terms, faults, log, most } = shared
  const here = new Set<StorePath>()
  /** In the native store, outputs become valid when the coordinator has them. */
  const built = terms.storeKind === 'nix' ? here : new Set<StorePath>()
  let cores = 0
  const fail = (what: string) => {
    if (faults.lost?.includes(`${what} ${machine}`) === true) throw new Error(`connection lost in ${what}`)
  }
  const transfer = async (text: string, work: () => void) => {
    shared.transfers += 1
    most.transfers = Math.max(most.transfers, shared.transfers)
    await pause()
    shared.transfers -= 1
    log.push(`${machine}: ${text}`)
    work()
  }
  return {
    missing: async (paths) => paths.filter((path) => !here.has(path)),
    markAltered: async () => [],
    async protect(paths) {
      requireAll(paths, here, machine)
      for (const path of paths) shared.keptThere.add(`${machine}: ${path.slice(40)}`)
    },
    async send(paths) {
      fail('send')
      requireAll(paths, shared.valid, 'the coordinator')
      await transfer(`send ${paths.map((path) => path.slice(40)).join(' ')}`, () =>
        paths.forEach((path) => here.add(path)),
      )
      return { paths: paths.length, bytes: 0 }
    },
    async build(derivations, options) {
      const names = derivations.map(nameOf)
      log.push(`${machine}: build ${names.join(' ')} (${options.cores})`)
      cores += options.cores
      most.builds.set(machine, Math.max(most.builds.get(machine) ?? 0, cores))
      await pause()
      await faults.onBuild?.(names)
      cores -= options.cores
      options.signal.throwIfAborted()
      fail('build')
      return derivations.map((derivation) => buildOn({ terms, faults, here, built }, derivation))
    },
    async fetch(derivations) {
      fail('fetch')
      const outputs = derivations.map((derivation) => out(nameOf(derivation)))
      requireAll(outputs, built, machine)
      await transfer(`fetch ${derivations.map(nameOf).join(' ')}`, () =>
        outputs.forEach((path) => void [shared.valid, here].map((valid) => valid.add(path))),
      )
      return { paths: outputs.length, bytes: 0 }
    },
    async bring() {
      throw new Error('a delegation only fetches what was built for it')
    },
  }
}

interface BuildingMachine extends Pick<Shared, 'terms' | 'faults'> {
  readonly here: ReadonlySet<StorePath>
  readonly built: Set<StorePath>
}

/** Builds as Nix does: inputs are built along the way, if their derivations are there. */
function buildOn(machine: BuildingMachine, derivation: StorePath): TargetBuildOutcome {
  const { terms, faults, here, built } = machine
  const build = terms.unbuilt.get(derivation) as UnbuiltDerivation
  const inputs = build.waitsFor.filter((input) => !here.has(out(nameOf(input))))
  if (terms.storeKind === 'native' && inputs.length > 0) throw new Error(`no input ${inputs.join(' ')}`)
  for (const input of inputs) {
    const outcome = buildOn(machine, input)
    if (outcome.kind === 'failed') return outcome
  }
  requireAll(build.requires, here, 'the target')
  if (faults.broken?.includes(build.name) === true) {
    return { kind: 'failed', reason: 'ended with status 3', logEnd: `${build.name}:\ncannot compile\n` }
  }
  for (const path of build.outputs) built.add(path)
  return { kind: 'built' }
}

function requireAll(paths: readonly StorePath[], valid: ReadonlySet<StorePath>, place: string): void {
  const invalid = paths.filter((path) => !valid.has(path))
  if (invalid.length > 0) throw new Error(`not valid on ${place}: ${invalid.join(' ')}`)
}

/** Lets other work proceed. */
function pause(): Promise<void> {
  return new Promise((resolve) => void setImmediate(() => setImmediate(resolve)))
}
