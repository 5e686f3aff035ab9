import { type ArgumentsOf, usageError } from '@davit/tool'

import { operationOptions, type settingOptions } from './options.ts'

/** What both tools understand. */
export type Arguments = ArgumentsOf<typeof operationOptions & typeof settingOptions, Record<never, never>> & {
  readonly path: readonly string[]
  readonly environment: boolean
}

type OptionName = Exclude<keyof typeof operationOptions, 'operation'>

/** An operation, or the activity `any` that --operation names. */
export type OperationName = OptionName | 'any'

/** Returns the one operation that is given. */
export function operationOf(args: Arguments): OperationName {
  const names = (Object.keys(operationOptions) as (keyof typeof operationOptions)[]).filter((name) =>
    isGiven(args, name),
  )
  const [name, other] = names
  if (name === undefined) throw usageError('no operation is given', 'name one, such as --activate; see --help')
  if (other !== undefined) throw usageError(`--${name} and --${other} exclude each other`, 'name one operation')
  return name === 'operation' ? 'any' : name
}

function isGiven(args: Arguments, name: string): boolean {
  const key = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const value: unknown = Reflect.get(args, key)
  return value === true || typeof value === 'string'
}

/** Where the files of an operation are. */
export function sideOf({ localfile, remotefile }: Arguments): 'local' | 'remote' {
  if (localfile !== remotefile) return localfile ? 'local' : 'remote'
  throw usageError(
    localfile ? '--localfile and --remotefile exclude each other' : 'neither --localfile nor --remotefile is given',
    'say on which machine the files are',
  )
}

/** Properties of the container, those of --arguments last. */
export function propertiesOf(
  { arguments: given, environment: isWanted }: Arguments,
  environment: Readonly<Record<string, string>>,
): readonly (readonly [name: string, value: string])[] {
  const inherited = isWanted ? Object.entries(environment).filter(([name]) => NAME.test(name)) : []
  return [...inherited, ...given.map(propertyIn)]
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

function propertyIn(text: string): readonly [name: string, value: string] {
  const end = text.indexOf('=')
  const name = text.slice(0, end)
  if (end === -1 || !NAME.test(name)) throw usageError(`'${text}' is not a property`, 'write --arguments NAME=VALUE')
  return [name, text.slice(end + 1)]
}

/** Refuses to name the module twice. */
export function refuseTwoModules({ type, module }: Pick<Arguments, 'type' | 'module'>): void {
  if (module === undefined || type === undefined) return
  throw usageError('--module and --type exclude each other', 'name the container with --container')
}

/** A container is named by itself, or by the absolute path of its package. */
export function checkContainer({ container = '' }: Pick<Arguments, 'container'>): void {
  if (!container.includes('/') || (container.startsWith('/') && !container.split('/').includes('..'))) return
  throw usageError(`'${container}' is not the name of a container`, 'name it without a directory')
}

/** The only path. */
export function onlyPath({ path }: Arguments, what: string): string {
  const [first, second] = path
  if (first === undefined || first === '') throw usageError(`no path is given`, `name ${what}`)
  if (second !== undefined) throw usageError(`unexpected operand '${second}'`, `name ${what}, and nothing else`)
  return first
}
