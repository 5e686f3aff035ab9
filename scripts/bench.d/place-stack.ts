import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Measurement, measure } from './measure.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { inTurn, roomFor, type Workplace } from './workplace.ts'

export interface PlaceStackTerms {
  readonly name: string
  readonly runs: number
  readonly leaves: number
  readonly targets: number
  /** Aim as a multiple of the time for the same services in models. */
  readonly limit: number
}

/** Measures a stack from its file to a manifest, beside models of the same services that are written by hand. */
export async function benchPlaceStack(place: Workplace, terms: PlaceStackTerms): Promise<readonly Line[]> {
  const { name, runs, leaves, targets, limit } = terms
  const directory = roomFor(place, name)
  writeSystem(directory, terms)
  const options = { directory, environment: { ...place.environment, PATH: `${place.bin}:${process.env['PATH']}` } }
  const toManifest = async (command: string) => measure(['sh', '-c', `${command} | davit-manifest >manifest`], options)
  const fromStack = () => toManifest('davit-compile-stack . | davit-normalize -A -')
  const fromModels = () => toManifest('davit-normalize -s services.json -i targets.json -d distribution.json')
  // The package and the profiles are made.
  await fromStack()
  await fromModels()
  const [davit, baseline]: [Measurement[], Measurement[]] = [[], []]
  await inTurn(place, runs, {
    davit: async () => void davit.push(await fromStack()),
    baseline: async () => void baseline.push(await fromModels()),
  })
  const what = `a stack of ${leaves.toLocaleString('en')} services on ${targets} targets to a manifest`
  return [withAims(timeRow(what, davit, baseline), { ratio: limit })]
}

/** Each service has a link to the one before. */
function writeSystem(directory: string, { leaves, targets }: PlaceStackTerms): void {
  const write = (file: string, content: unknown) => writeFileSync(join(directory, file), JSON.stringify(content))
  const numbers = Array.from({ length: leaves }, (_, index) => index)
  const services = <Value>(valueOf: (index: number) => Value) =>
    Object.fromEntries(numbers.map((index) => [`s${index}`, valueOf(index)]))
  mkdirSync(join(directory, 'package/bin'), { recursive: true })
  writeFileSync(join(directory, 'package/bin/run'), '#!/bin/sh\nexec sleep 1\n')
  chmodSync(join(directory, 'package/bin/run'), 0o755)
  const names = Array.from({ length: targets }, (_, index) => `t${index}`)
  const target = (hostname: string) => ({ properties: { hostname }, containers: { process: {} } })
  write('targets.json', Object.fromEntries(names.map((one) => [one, target(one)])))
  write('Muspace.json', { clusters: { all: { default: true, infrastructure: 'targets.json' } } })
  const link = (index: number) => (index === 0 ? {} : { links: { before: `s${index - 1}` } })
  const leaf = (index: number) => ({
    type: 'davit/x/service',
    module: 'process',
    source: 'package',
    port: 8000 + index,
    ...link(index),
  })
  write('Mu.json', { name: 'large', services: { private: services(leaf) } })
  const dependsOn = (index: number) => (index === 0 ? [] : [`s${index - 1}`])
  write(
    'services.json',
    services((index) => ({
      type: 'process',
      pkg: { source: './package' },
      port: 8000 + index,
      dependsOn: dependsOn(index),
    })),
  )
  write(
    'distribution.json',
    services((index) => [names[index % targets]]),
  )
}
