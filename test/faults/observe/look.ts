import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Runs `look`, and returns `nothing` if the file has vanished or never existed. */
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

/** Returns all paths below a directory, relative to it. */
export function namesBelow(directory: string): readonly string[] {
  return orNothing(() => readdirSync(directory, { recursive: true, encoding: 'utf8' }), [])
}

export function textOf(file: string): string {
  return orNothing(() => readFileSync(file, 'utf8'), '')
}

export function linkAt(path: string): string {
  return orNothing(() => readlinkSync(path), '')
}
