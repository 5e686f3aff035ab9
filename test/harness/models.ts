import { type Coordinator, type Outcome, type RunOptions, succeeded } from './coordinator.ts'
import type { Host } from './hosts.ts'
import { type ModelKind, nixModel } from './nix-language.ts'
import type { ServiceDescription } from './services.ts'

type Table<Value> = Readonly<Record<string, Value>>

export interface Models {
  readonly services: Table<ServiceDescription>
  readonly infrastructure: Table<unknown>
  readonly distribution: Table<unknown>
}

/** Returns an infrastructure with a target for each host, with the same name. */
export function infrastructureOf(
  hosts: readonly Pick<Host, 'name' | 'address'>[],
  attributes: Table<unknown> = {},
): Table<Table<unknown>> {
  return Object.fromEntries(
    hosts.map(({ name, address }) => [
      name,
      { properties: { hostname: address }, clientInterface: 'ssh', containers: { wrapper: {} }, ...attributes },
    ]),
  )
}

/** Writes a model in the user's language. Returns the name of the file. */
export async function writeModel(user: Coordinator, kind: ModelKind, model: unknown): Promise<string> {
  const file = modelFile(user, kind)
  await user.write(file, user.language === 'Nix' ? nixModel(kind, model) : model)
  return file
}

/** Returns the name of the file that `writeModel` writes. */
export function modelFile({ language }: Coordinator, kind: ModelKind): string {
  return `${kind}.${language.toLowerCase()}`
}

/** Writes the models. Returns the options that name them. */
export async function writeModels(
  user: Coordinator,
  { services, infrastructure, distribution }: Models,
): Promise<readonly string[]> {
  return [
    '-s',
    await writeModel(user, 'services', services),
    '-i',
    await writeModel(user, 'infrastructure', infrastructure),
    '-d',
    await writeModel(user, 'distribution', distribution),
  ]
}

/** Deploys models with davit-env. */
export async function deploy(
  user: Coordinator,
  models: Models,
  { options = [], ...run }: RunOptions & { readonly options?: readonly string[] } = {},
): Promise<Outcome> {
  return user.run(['davit-env', ...(await writeModels(user, models)), ...options], run)
}

/** Writes `manifest.json` for models, without deploying them; rejects if that fails. */
export async function makeManifest(user: Coordinator, models: Models, file = 'manifest.json'): Promise<string> {
  const architecture = `${file}.architecture`
  succeeded(await user.run(['davit-normalize', ...(await writeModels(user, models)), '--output', architecture]))
  succeeded(await user.run(['davit-manifest', architecture, '--format', 'json', '--output', file]))
  await user.run(['rm', architecture])
  return file
}
