import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DavitError, renderDiagnostic } from '@davit/diagnostics'
import type { PackageSpec, ServiceName, System } from '@davit/documents'
import type { ArchitectureModel } from '@davit/normalization'
import { scratchDirectory } from '@davit/testing/scratch'
import { loadArchitecture, type ModelFiles } from '../src/models.ts'

export const linux = 'x86_64-linux' as System

/** Makes a directory with these files outside of every repository; removed after the test. */
export function modelsIn(files: Readonly<Record<string, string>>): string {
  const directory = realpathSync(scratchDirectory())
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  return directory
}

/** Loads models of a directory by the names of their files: `services.ts`, `infrastructure.yaml`, … */
export async function loadIn(
  directory: string,
  names: readonly string[],
  extraParams: Readonly<Record<string, unknown>> = {},
): Promise<ArchitectureModel> {
  const files = Object.fromEntries(names.map((name) => [name.split('.')[0], join(directory, name)]))
  return loadArchitecture(files as ModelFiles, { system: linux, extraParams })
}

export async function load(files: Readonly<Record<string, string>>, extraParams = {}): Promise<ArchitectureModel> {
  const names = Object.keys(files).filter((name) =>
    /^(?:services|infrastructure|distribution|packages|architecture)\./.test(name),
  )
  return loadIn(modelsIn(files), names, extraParams)
}

export function serviceOf(model: ArchitectureModel, name: string) {
  const service = model.services.get(name as ServiceName)
  if (service === undefined) throw new Error(`no service '${name}'`)
  return service
}

/** Returns the package of a service for given parameters. */
export function specOf(
  model: ArchitectureModel,
  name: string,
  { parameters = {}, system = String(linux) } = {},
): PackageSpec {
  const pkg = serviceOf(model, name).packageFor(system as System)
  if (pkg.kind === 'expression') throw new Error(`package of '${name}' is an expression`)
  return pkg.kind === 'data' ? pkg.spec : pkg.call(parameters, () => '{"text":"of parameters"}')
}

/** Returns the output that a user sees, without the directory. */
export async function complaintOf(failing: Promise<unknown> | (() => unknown), directory = '\0'): Promise<string> {
  const error: unknown = await Promise.resolve(typeof failing === 'function' ? undefined : failing)
    .then(() => (typeof failing === 'function' ? failing() : undefined))
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  if (!(error instanceof DavitError)) throw error ?? new Error('nothing went wrong')
  const lines = [
    ...error.diagnostics.map(renderDiagnostic),
    error.message,
    ...(error.hint === undefined ? [] : [`hint: ${error.hint}`]),
  ]
  return lines.join('\n').replaceAll(`${directory}/`, '').replaceAll(directory, 'DIRECTORY')
}
