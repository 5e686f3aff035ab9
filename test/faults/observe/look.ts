import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Looks at what may vanish meanwhile, or may never have been there: then there is nothing. */
function orNothing<Value>(look: () => Value, nothing: Value): Value {
  try {
    return look()
  } catch {
    return nothing
  }
}

export function namesIn(directory: string): readonly string[] {
  return orNothing(() => readdirSync(directory), [])
}

/** Paths from there. */
export function namesBelow(directory: string): readonly string[] {
  return orNothing(() => readdirSync(directory, { recursive: true, encoding: 'utf8' }), [])
}

export function textOf(file: string): string {
  return orNothing(() => readFileSync(file, 'utf8'), '')
}

export function linkAt(path: string): string {
  return orNothing(() => readlinkSync(path), '')
}
