import { fileURLToPath } from 'node:url'
import { architectureOf, type NormalizationOptions, normalizeModel } from '@davit/normalization'
import { describe, expect, test } from 'vitest'
import { complaintOf, linux, modelsIn } from './models-in.ts'
import { architectureFrom, loadNixIn, noPrivateNix, privateNixOfFile } from './nix-models.ts'

const { environment } = privateNixOfFile()

const NATIVE: NormalizationOptions = {
  clientInterface: 'ssh',
  targetProperty: 'hostname',
  deployState: false,
  system: linux,
  store: { kind: 'native', directory: '/var/lib/davit/store' },
}

/** Normalizes like davit-normalize, with made-up packages instead of a native store. */
async function normalized(directory: string, language: string) {
  const files = ['services', 'infrastructure', 'distribution'].map((role) => `${role}.${language}`)
  const model = await loadNixIn(directory, files, { environment })
  if (language === 'nix') return architectureFrom(model, { environment })
  const result = normalizeModel(model, NATIVE)
  return architectureOf(
    result,
    result.packageRequests.map(() => ({ outPath: `/var/lib/davit/store/${'0'.repeat(32)}-x` as never })),
  )
}

describe.each(['yaml', 'json', 'ts', 'nix'])('in %s', (language) => {
  const isLeftOut = language === 'nix' && noPrivateNix !== undefined

  test.skipIf(isLeftOut).each(['references', 'parameters', 'types'])(
    'all problems of %s are reported',
    async (kind) => {
      // Wrong types in YAML: fixtures/invalid.
      if (kind === 'types' && language === 'yaml') return
      const directory = fileURLToPath(new URL(`fixtures/hostile/${kind}`, import.meta.url))
      const complaint = await complaintOf(normalized(directory, language), directory)
      await expect(`${complaint}\n`).toMatchFileSnapshot(`fixtures/hostile/${kind}/${language}.errors`)
    },
  )

  test.skipIf(isLeftOut)('names that objects have anyway are names of everything', async () => {
    const architecture = await normalized(modelsIn(filesOf(language)), language)
    expect([...architecture.infrastructure.keys()].toSorted()).toEqual(NAMES.toSorted())
    for (const [, target] of architecture.infrastructure) {
      expect([...target.properties.keys()].toSorted()).toEqual([...NAMES, 'hostname'].toSorted())
      expect([...target.containers.keys()].toSorted()).toEqual(NAMES.toSorted())
      for (const [, properties] of target.containers) {
        expect(NAMES.map((name) => properties.get(name))).toEqual(NAMES.map(() => 'p'))
      }
    }
    const services = [...architecture.services.values()]
    expect(services.map(({ name }) => name).toSorted()).toEqual([...NAMES, 'web'].toSorted())
    const web = services.find(({ name }) => name === 'web')
    expect([...(web?.dependsOn.keys() ?? [])].toSorted()).toEqual(NAMES.toSorted())
    expect(web?.packages.size).toBe(1)
  })
})

describe.each(['yaml', 'json', 'ts', 'nix'])('in %s', (language) => {
  const isLeftOut = language === 'nix' && noPrivateNix !== undefined

  test.skipIf(isLeftOut)('invalid names of containers, targets and services are all reported', async () => {
    const wrong = (value: string) => NOT_NAMES.map((name) => `${JSON.stringify(name)}: ${value}`).join(', ')
    const bad = {
      infrastructure: `{ "one": { "containers": { ${wrong('{}')} } }, ${wrong('{}')} }`,
      services: `{ ${wrong('{ "type": "x", "pkg": { "source": "." } }')} }`,
      distribution: '{}',
    }
    const inNix = (value: string) => NOT_NAMES.map((name) => `${nixText(name)} = ${value};`).join(' ')
    const badInNix = {
      infrastructure: `{ one = { containers = { ${inNix('{ }')} }; }; ${inNix('{ }')} }`,
      services: `{ pkgs, system, distribution, invDistribution }: { ${inNix('{ name = "x"; type = "x"; pkg = builtins.storePath "/x"; }')} }`,
      distribution: '{ infrastructure }: { }',
    }
    const texts = Object.entries(language === 'nix' ? badInNix : bad)
    const prefix = language === 'ts' ? 'export default ' : ''
    const directory = modelsIn(Object.fromEntries(texts.map(([role, text]) => [`${role}.${language}`, prefix + text])))
    const complaint = await complaintOf(normalized(directory, language), directory)
    const counts = ['a container name', 'a target name', 'a service name'].map(
      (kind) => complaint.split(`: ${kind} must `).length - 1,
    )
    expect(counts).toEqual([NOT_NAMES.length, NOT_NAMES.length, NOT_NAMES.length])
    expect(complaint.length).toBeLessThan(30_000)
  })
})

const NOT_NAMES = ['', '-x', '.x', 'a b', 'a\nb', '../a', '$(touch x)', '\u00e4', 'a'.repeat(201), 'a'.repeat(100_000)]

function nixText(text: string): string {
  return JSON.stringify(text).replaceAll('$', String.raw`\$`)
}

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

/** Services, targets, containers, properties and parameters with these names, and a package that uses the parameters. */
function filesOf(language: string): Readonly<Record<string, string>> {
  const texts = (MODELS[language] ?? MODELS['json'])!
  return Object.fromEntries(Object.entries(texts).map(([role, text]) => [`${role}.${language}`, text]))
}

const table = (valueOf: (name: string) => string, more = ''): string =>
  `{ ${NAMES.map((name) => `"${name}": ${valueOf(name)}`).join(', ')}${more} }`
const properties = table(() => '"p"')
const used = NAMES.map((name) => `\${${name}.name}`).join(' ')

const JSON_MODELS = {
  infrastructure: table(
    (name) =>
      `{ "properties": ${table(() => '"p"', `, "hostname": "${name}"`)}, "containers": ${table(() => properties)} }`,
  ),
  services: table(
    (name) => `{ "type": "${name}", "pkg": { "source": "." } }`,
    `, "web": { "type": "toString", "dependsOn": ${JSON.stringify(NAMES)}, "pkg": { "build": { "script": "", "env": { "USED": "${used}" } } } }`,
  ),
  distribution: table((name) => `["${name}"]`, ', "web": ["__proto__"]'),
}

const nixTable = (valueOf: (name: string) => string, more = ''): string =>
  `{ ${NAMES.map((name) => `${name} = ${valueOf(name)};`).join(' ')} ${more} }`
const nixProperties = nixTable(() => '"p"')

const MODELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  json: JSON_MODELS,
  ts: {
    // It must be a computed name: otherwise it sets the prototype.
    infrastructure: `export default JSON.parse(${JSON.stringify(JSON_MODELS.infrastructure)})`,
    services: `import { build } from 'davit'
      const services = ${JSON_MODELS.services.replaceAll('"__proto__":', '["__proto__"]:')}
      export default { ...services, ['__proto__']: services['__proto__'], web: { ...services.web,
        pkg: (parameters) => build({ script: ${JSON.stringify(NAMES)}.map((name) => parameters[name].name).join(' ') }) } }`,
    distribution: `export default ({ infrastructure }) => ({
      ${NAMES.map((name) => `['${name}']: [infrastructure['${name}']],`).join(' ')} web: [infrastructure['__proto__']] })`,
  },
  nix: {
    infrastructure: nixTable(
      (name) =>
        `{ properties = ${nixTable(() => '"p"', `hostname = "${name}";`)}; containers = ${nixTable(() => nixProperties)}; }`,
    ),
    services: `{ pkgs, system, distribution, invDistribution }: let
      pkg = derivation { name = "x"; system = "x86_64-linux"; builder = "/bin/sh"; }; in rec
      ${nixTable(
        (name) => `{ name = "${name}"; type = "${name}"; inherit pkg; }`,
        `web = { name = "web"; type = "toString"; dependsOn = { inherit ${NAMES.join(' ')}; };
          pkg = { ${NAMES.join(', ')} }: derivation { name = "x"; system = "x86_64-linux"; builder = "/bin/sh";
            used = [ ${NAMES.map((name) => `${name}.name`).join(' ')} ]; }; };`,
      )}`,
    distribution: `{ infrastructure }: ${nixTable((name) => `[ infrastructure.${name} ]`, 'web = [ infrastructure.__proto__ ];')}`,
  },
}
