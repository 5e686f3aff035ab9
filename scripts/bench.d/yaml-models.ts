import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlacedService, PlacedSystem } from './system-size.ts'

/** Writes models in YAML into a directory. Returns the options that name them. */
export function writeYamlModels(
  directory: string,
  { targets, services }: PlacedSystem,
  container = 'process',
): readonly string[] {
  return writeModels(directory, {
    services: services.map(serviceText).join(''),
    infrastructure: infrastructureText(targets),
    distribution: services
      .map(({ name, target }) => `${name}: { targets: [{ target: ${target}, container: ${container} }] }\n`)
      .join(''),
  })
}

/** Writes models of one service for each small package and one with a big package, on one host. */
export function writeBulkYamlModels(
  directory: string,
  { host, files, megabytes }: { readonly host: string; readonly files: number; readonly megabytes: number },
): readonly string[] {
  const small = Array.from({ length: files }, (_, number) => `small-${number}`)
  const services = [
    ...small.map((name) => serviceWith(name, `printf '%s\\n' ${name} >"$out"`)),
    serviceWith('bulk', `head -c ${megabytes}000000 /dev/urandom >"$out"`),
  ]
  return writeModels(directory, {
    services: services.join(''),
    infrastructure: infrastructureText([host]),
    distribution: [...small, 'bulk'].map((name) => `${name}: [${host}]\n`).join(''),
  })
}

function writeModels(directory: string, models: Readonly<Record<string, string>>): readonly string[] {
  mkdirSync(directory, { recursive: true })
  return Object.entries(models).flatMap(([name, text]) => {
    const file = join(directory, `${name}.yaml`)
    writeFileSync(file, text)
    return [`--${name}`, file]
  })
}

function serviceText({ name, dependencies }: PlacedService): string {
  const hosts = dependencies.map((dependency) => `\${${dependency.name}.target.properties.hostname}`)
  return `${name}:
  type: process
  dependsOn: [${dependencies.map((dependency) => dependency.name).join(', ')}]
  pkg:
    build:
      env: { hosts: "${hosts.join(' ')}" }
      script: mkdir -p "$out/share" && echo "$hosts" >"$out/share/${name}"
`
}

function serviceWith(name: string, script: string): string {
  return `${name}:\n  type: process\n  pkg: { build: { script: ${JSON.stringify(script)} } }\n`
}

function infrastructureText(targets: readonly string[]): string {
  return targets.map((name) => `${name}: { properties: { hostname: ${name} }, containers: { process: {} } }\n`).join('')
}
