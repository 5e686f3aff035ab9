import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  Architecture,
  BuildModel,
  DeploymentModel,
  type Format,
  Infrastructure,
  Manifest,
  PartialInfrastructure,
  ProfileManifest,
  type TargetName,
} from '../src/documents.ts'

const FORMATS: ReadonlyMap<string, Format<unknown>> = new Map<string, Format<unknown>>([
  ['architecture', Architecture],
  ['build', BuildModel],
  ['deployment', DeploymentModel],
  ['infrastructure', Infrastructure],
  ['manifest', Manifest],
  ['partial', PartialInfrastructure],
  ['profile', ProfileManifest.on('alpha' as TargetName)],
])

/** Returns the format of a fixture, by the first word of its name. */
export function formatOf(file: string): Format<unknown> | undefined {
  return FORMATS.get(/^[a-z]+/.exec(file)?.[0] ?? '')
}

export function fixturesIn(directory: string): string[] {
  return readdirSync(pathOf(directory)).filter((file) => /\.(?:xml|json|yaml)$/.test(file))
}

export function readFixture(file: string): string {
  return readFileSync(pathOf(file), 'utf8')
}

export function pathOf(file: string): string {
  return fileURLToPath(new URL(`fixtures/${file}`, import.meta.url))
}
