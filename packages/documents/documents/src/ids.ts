import * as v from 'valibot'
import { accepting } from './quick-schemas.ts'

/** Pattern of the names of services, targets, containers and profiles. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/
const MAX_NAME_BYTES = 200

type Branded<Brand extends string> = string & { readonly __brand: Brand }
export type ServiceName = Branded<'ServiceName'>
export type TargetName = Branded<'TargetName'>
export type ContainerName = Branded<'ContainerName'>
export type ProfileName = Branded<'ProfileName'>
/** Lowercase hexadecimal SHA-256 that identifies a version of a service (see `serviceKeyOf`); any name in documents of other tools. */
export type ServiceKey = Branded<'ServiceKey'>
/** Absolute path directly below the store directory: `<store>/<32 characters>-<name>`. */
export type StorePath = Branded<'StorePath'>
/** Platform such as `x86_64-linux`. */
export type System = Branded<'System'>

const name = <Id extends string>(what: string) =>
  accepting(
    v.pipe(
      v.string(),
      v.regex(NAME, `${what} must consist of A-Z, a-z, 0-9 and _.+-, and must not begin with one of .+-`),
      v.maxLength(MAX_NAME_BYTES, `${what} must be at most ${MAX_NAME_BYTES} bytes long`),
      v.transform((text) => text as Id),
    ),
    (input) => typeof input === 'string' && input.length <= MAX_NAME_BYTES && NAME.test(input),
  )

export const serviceName = name<ServiceName>('a service name')
export const targetName = name<TargetName>('a target name')
export const containerName = name<ContainerName>('a container name')
export const profileName = name<ProfileName>('a profile name')
export const serviceKey = name<ServiceKey>('a service key')
export const system = name<System>('a system')
/** Type of a service: the name of its module, and by default of its container. */
export const moduleName = name<string>('a type')

const STORE_PATH = /^(?:\/(?!\.\.?\/)[A-Za-z0-9_.+-]+)+\/[0-9a-z]{32}-[A-Za-z0-9_+?=.-]{1,211}$/

export const storePath = accepting(
  v.pipe(
    v.string(),
    v.regex(STORE_PATH, 'a store path has the form <store directory>/<32 characters>-<name>'),
    v.transform((text) => text as StorePath),
  ),
  (input) => typeof input === 'string' && STORE_PATH.test(input),
)

/** Parses a store path that a machine reports; undefined if it is none. */
export function parseStorePath(text: string): StorePath | undefined {
  const result = v.safeParse(storePath, text)
  return result.success ? result.output : undefined
}

export const storeDirectory = v.pipe(
  v.string(),
  v.regex(/^(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9_.+-]+)+$/, 'a store directory must be an absolute path of plain names'),
)
