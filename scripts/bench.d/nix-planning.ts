import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bareArchive } from './bare-archive.ts'
import { type Measurement, measure, together } from './measure.ts'
import { writeNixModels } from './nix-models.ts'
import { type NixRoom, nixRoom, removeRoom } from './nix-room.ts'
import { type PlacedSystem, type SystemSize, sizeText, systemOf } from './system-size.ts'
import { type Limits, memoryRow, type Row, timeRow, withAims, workRow } from './table.ts'
import { inTurn, plan, type Planned, roomFor, type Workplace } from './workplace.ts'

export interface PlanningTerms {
  readonly name: string
  readonly size: SystemSize
  readonly runs: number
  readonly limits: { readonly both: Limits; readonly normalize?: Limits; readonly memory?: number }
}

/**
 * Measures the way from models to a manifest. Packages are built in advance, profiles are not. The baseline is Nix alone with the
 * same packages and similar profiles.
 */
export async function benchNixPlanning(place: Workplace, terms: PlanningTerms): Promise<readonly Row[]> {
  const room = roomFor(place, terms.name)
  const system = systemOf(terms.size)
  const models = writeNixModels(join(room, 'models'), system)
  const bench = new PlanningBench(place, { room, models })
  await bench.prepare(system)
  await inTurn(place, terms.runs, bench)
  return rowsOf(terms, bench)
}

class PlanningBench {
  readonly planned: Planned[] = []
  readonly instantiated: Measurement[] = []
  readonly realised: Measurement[] = []
  readonly #place: Workplace
  readonly #room: string
  readonly #models: readonly string[]
  #prepared: NixRoom | undefined

  constructor(place: Workplace, { room, models }: { readonly room: string; readonly models: readonly string[] }) {
    this.#place = place
    this.#room = room
    this.#models = models
  }

  /** Builds the packages, and reads the contents of the profile manifests. */
  async prepare(system: PlacedSystem): Promise<void> {
    this.#place.say('builds the packages')
    const prepared = await nixRoom(this.#place, join(this.#room, 'prepared'))
    this.#prepared = prepared
    this.#describe(system, new Map())
    const derivations = await prepared.text(this.#bareCommand(false))
    writeFileSync(join(this.#room, 'packages'), derivations)
    await prepared.text(['sh', '-c', BUILD, 'sh', join(this.#room, 'packages')])
    await this.#inCopy('first', async (copy) => {
      const first = await this.#planIn(copy)
      checkSamePackages(readFileSync(first.architectureFile, 'utf8'), derivations)
      this.#describe(system, await profileManifestsIn(copy, first.manifestFile))
    })
  }

  async davit(run: number): Promise<void> {
    await this.#inCopy(`davit-${run}`, async (copy) => void this.planned.push(await this.#planIn(copy)))
  }

  async baseline(run: number): Promise<void> {
    await this.#inCopy(`baseline-${run}`, async ({ directory, environment, within }) => {
      const output = join(directory, 'derivations')
      const options = { environment, directory }
      this.instantiated.push(await measure(within(this.#bareCommand(true)), { ...options, output }))
      this.realised.push(await measure(within(['sh', '-ec', REALISE, 'sh', output]), options))
    })
  }

  async #planIn({ directory, environment, within }: NixRoom): Promise<Planned> {
    return plan(this.#place, { models: this.#models, directory, environment, within })
  }

  async #inCopy(name: string, use: (copy: NixRoom) => Promise<void>): Promise<void> {
    const copy = await nixRoom(this.#place, join(this.#room, name), this.#prepared)
    await use(copy)
    removeRoom(copy)
  }

  #bareCommand(withProfiles: boolean): readonly string[] {
    const file = join(this.#room, 'models/bare.nix')
    return [
      'nix-instantiate',
      file,
      '--argstr',
      'file',
      join(this.#room, 'bare.json'),
      '--arg',
      'withProfiles',
      String(withProfiles),
    ]
  }

  #describe({ services, targets }: PlacedSystem, manifests: ReadonlyMap<string, string>): void {
    const packages = services.map(({ name, dependencies }) => [name, dependencies.map(({ target }) => target)])
    const profiles = targets.map((target) => [
      target,
      {
        packages: services.filter((service) => service.target === target).map(({ name }) => name),
        archive: bareArchive('profilemanifest.xml', manifests.get(target) ?? ''),
      },
    ])
    const description = { packages: Object.fromEntries(packages), profiles: Object.fromEntries(profiles) }
    writeFileSync(join(this.#room, 'bare.json'), JSON.stringify(description))
  }
}

/** Realises valid packages together and profiles in batches, which is the fastest way known. */
const REALISE = `
  grep -v -e -bare- "$1" | xargs nix-store --realise --quiet
  ! grep -q -e -bare- "$1" || grep -e -bare- "$1" | xargs -n 50 nix-store --realise --quiet`
const BUILD = 'xargs -n 100 nix-store --realise --quiet <"$1"'

function checkSamePackages(architecture: string, derivations: string): void {
  const found = new Set(architecture.match(/\/nix\/store\/[^"]+\.drv/g))
  const expected = new Set(derivations.trimEnd().split('\n'))
  if (found.size === expected.size && [...found].every((path) => expected.has(path))) return
  throw new Error('davit and the baseline have different derivations')
}

const READ_MANIFESTS = `
  const { readFileSync } = require('node:fs')
  const { profiles } = JSON.parse(readFileSync(process.argv[1], 'utf8'))
  const read = ([target, path]) => [target, readFileSync(path + '/profilemanifest.xml', 'utf8')]
  console.log(JSON.stringify(Object.entries(profiles).map(read)))`

async function profileManifestsIn(copy: NixRoom, manifestFile: string): Promise<ReadonlyMap<string, string>> {
  const text = await copy.text([process.execPath, '-e', READ_MANIFESTS, manifestFile])
  return new Map(JSON.parse(text) as [string, string][])
}

function rowsOf({ size, limits }: PlanningTerms, { planned, instantiated, realised }: PlanningBench): readonly Row[] {
  const both = planned.map(({ normalize, manifest }) => together([normalize, manifest]))
  const bare = instantiated.map((first, run) => together([first, realised[run] ?? first]))
  const what = `Nix: ${sizeText(size)}`
  const normalize = timeRow(
    '  normalize',
    planned.map((run) => run.normalize),
    instantiated,
  )
  return [
    withAims(timeRow(what, both, bare), limits.both),
    withAims(normalize, limits.normalize ?? {}),
    timeRow(
      '  manifest',
      planned.map((run) => run.manifest),
      realised,
    ),
    workRow(both, bare),
    memoryRow(
      '  memory, process trees',
      { davit: both.map(({ memory }) => memory.tree), baseline: bare.map(({ memory }) => memory.tree) },
      limits.memory,
    ),
    memoryRow('  memory, biggest process', {
      davit: both.map(({ memory }) => memory.biggest),
      baseline: bare.map(({ memory }) => memory.biggest),
    }),
  ]
}
