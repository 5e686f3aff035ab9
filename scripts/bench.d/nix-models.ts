import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PlacedService, PlacedSystem } from './system-size.ts'

const PARTS = fileURLToPath(new URL('nix', import.meta.url))

/** Writes models in the Nix language into a directory. Returns the options that name them. */
export function writeNixModels(directory: string, { targets, services }: PlacedSystem): readonly string[] {
  return writeModels(directory, {
    services: `{ system, pkgs, distribution, invDistribution }:\nlet package = import ./package.nix system; in rec {\n${services.map(serviceText).join('')}}\n`,
    infrastructure: tableOf(targets.map((name) => [name, targetText(name)])),
    distribution: `{ infrastructure }:\n${tableOf(services.map(({ name, target }) => [name, `[ infrastructure.${target} ]`]))}`,
  })
}

/** Writes models of one service whose closure has many small files and a big one. */
export function writeBulkNixModels(
  directory: string,
  { host, files, megabytes }: { readonly host: string; readonly files: number; readonly megabytes: number },
): readonly string[] {
  const bulk = `import ./closure.nix { inherit system; files = ${files}; megabytes = ${megabytes}; }`
  return writeModels(directory, {
    services: `{ system, ... }:\n{ bulk = { name = "bulk"; type = "process"; pkg = ${bulk}; }; }\n`,
    infrastructure: tableOf([[host, targetText(host)]]),
    distribution: `{ infrastructure }:\n${tableOf([['bulk', `[ infrastructure.${host} ]`]])}`,
  })
}

function writeModels(directory: string, models: Readonly<Record<string, string>>): readonly string[] {
  cpSync(PARTS, directory, { recursive: true })
  return Object.entries(models).flatMap(([name, text]) => {
    const file = join(directory, `${name}.nix`)
    writeFileSync(file, text)
    return [`--${name}`, file]
  })
}

function serviceText({ name, dependencies }: PlacedService): string {
  const names = dependencies.map((dependency) => dependency.name)
  if (names.length === 0) {
    return `  ${name} = { name = "${name}"; type = "process"; pkg = package "${name}" [ ]; };\n`
  }
  const pkg = `{ ${names.join(', ')} }: package "${name}" [ ${names.join(' ')} ]`
  return `  ${name} = {
    name = "${name}"; type = "process"; dependsOn = { inherit ${names.join(' ')}; };
    pkg = ${pkg};
  };\n`
}

function targetText(name: string): string {
  return `{ properties.hostname = "${name}"; containers.process = { }; }`
}

function tableOf(entries: readonly (readonly [string, string])[]): string {
  return `{\n${entries.map(([name, value]) => `  ${name} = ${value};\n`).join('')}}\n`
}
