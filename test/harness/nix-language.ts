type Table<Value> = Readonly<Record<string, Value>>

/** Kinds of models that the tests write. */
export type ModelKind = 'services' | 'infrastructure' | 'distribution' | 'packages' | 'architecture' | 'deployment'

/** Translates a model to the Nix language. Names become values, and `${…}` in the environment of a package becomes a parameter. */
export function nixModel(kind: ModelKind, model: unknown): string {
  return `${MODEL_TEXTS[kind](model)}\n`
}

const MODEL_TEXTS = {
  services: (model) => `{ system, distribution, invDistribution, pkgs }:\n${PLATFORM}${servicesText(tableOf(model))}`,
  infrastructure: (model) => nixValue(model),
  distribution: (model) => `{ infrastructure }:\n${attributesOf(tableOf(model), placementsText)}`,
  packages: (model) => `{ system, pkgs }:\n${PLATFORM}${attributesOf(tableOf(model), targetPackagesText)}`,
  architecture(model) {
    const { services, infrastructure } = tableOf(model)
    const parts = `services = ${servicesText(tableOf(services))};\ninherit infrastructure;`
    return `{ system, pkgs }:\n${PLATFORM}let infrastructure = ${nixValue(infrastructure)}; in {\n${parts}\n}`
  },
  deployment: (model) => nixValue(model),
} satisfies Table<(model: unknown) => string>

/** Renders data as a Nix expression. */
export function nixValue(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map(nixValue).join(' ')} ]`
  if (typeof value === 'object' && value !== null) return attributesOf(tableOf(value), nixValue)
  if (typeof value === 'string') return nixString(value)
  return typeof value === 'number' && value < 0 ? `(${value})` : String(value)
}

// A model is also evaluated without a platform.
const PLATFORM = 'let platform = if system == null then builtins.currentSystem else system; in\n'
const DEPENDENCIES = ['dependsOn', 'connectsTo', 'activatesAfter']
const REFERENCE = /\$\{([^}]*)\}/g

function servicesText(services: Table<unknown>): string {
  const text = attributesOf(services, (service, name) => serviceText(name, tableOf(service)))
  return `let self = ${text}; in self`
}

function serviceText(name: string, service: Table<unknown>): string {
  const parameters = ['dependsOn', 'connectsTo'].flatMap((attribute) => Object.keys(dependenciesOf(service[attribute])))
  return attributesOf({ name, ...service }, (value, attribute) => {
    if (attribute === 'pkg') return packageText(tableOf(value), { name, parameters })
    if (attribute === 'targets') return placementsText(value)
    if (DEPENDENCIES.includes(attribute)) {
      return attributesOf(dependenciesOf(value), (other) => `self.${attributeName(other)}`)
    }
    return nixValue(value)
  })
}

function dependenciesOf(value: unknown = []): Table<string> {
  if (!Array.isArray(value)) return value as Table<string>
  return Object.fromEntries((value as readonly string[]).map((name) => [name, name]))
}

function placementsText(value: unknown): string {
  if (!Array.isArray(value)) return attributesOf(tableOf(value), placementsText)
  const placements = (value as readonly unknown[]).map((placement) =>
    typeof placement === 'string'
      ? `infrastructure.${attributeName(placement)}`
      : attributesOf(tableOf(placement), (part, name) =>
          name === 'target' ? `infrastructure.${attributeName(String(part))}` : nixValue(part),
        ),
  )
  return `[ ${placements.join(' ')} ]`
}

const targetPackagesText = (value: unknown) =>
  `[ ${(value as readonly unknown[]).map((pkg) => `(${packageText(tableOf(pkg))})`).join(' ')} ]`

interface PackageOptions {
  readonly name?: string
  readonly parameters?: readonly string[]
}

function packageText(pkg: Table<unknown>, { name = 'package', parameters = [] }: PackageOptions = {}): string {
  const {
    env = {},
    script,
    ...rest
  } = tableOf(pkg['build']) as {
    readonly env?: Table<unknown>
    readonly script: string
    readonly name?: string
  }
  const references = Object.values(env).flatMap((value) => [...String(value).matchAll(REFERENCE)])
  const formals = new Set([...parameters, ...references.map(([, path = '']) => path.split('.', 1)[0] ?? '')])
  const derivation = attributesOf(
    { name: rest.name ?? name, args: ['-e', '-c', `PATH=/usr/bin:/bin\n${script}`], builder: '/bin/sh', ...env },
    (value, variable) => (Object.hasOwn(env, variable) ? variableText(variable, String(value)) : nixValue(value)),
  )
  const text = `derivation (${derivation} // { system = platform; })`
  return formals.size === 0 ? text : `{ ${[...formals].join(', ')} }: ${text}`
}

function variableText(variable: string, value: string): string {
  if (['name', 'system', 'builder', 'args'].includes(variable)) {
    throw new Error(`a derivation cannot have a variable '${variable}' of its own`)
  }
  const literals = value.split(REFERENCE)
  return literals.map((part, index) => (index % 2 === 0 ? nixString(part) : `builtins.toString ${part}`)).join(' + ')
}

function attributesOf<Value>(table: Table<Value>, textOf: (value: Value, name: string) => string): string {
  const attributes = Object.entries(table).map(([name, value]) => `${attributeName(name)} = ${textOf(value, name)};`)
  return `{\n${attributes.join('\n')}\n}`
}

const attributeName = (name: string) => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : nixString(name))

const nixString = (text: string) => JSON.stringify(text).replaceAll('${', '\\${')

const tableOf = (value: unknown) => value as Table<unknown>
