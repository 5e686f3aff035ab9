import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { DIRECTORY } from './modules-directory.ts'

/** A line that reads the file `util` of Dysnomia, from its place in an installation or beside the module, as a template or not. */
const SOURCING =
  /^(?<indent>[ \t]*)(?:source|\.)[ \t]+(?<path>"?(?:\S*\/(?:dysnomia|@PACKAGE@)|\$\(dirname[^\n\r\u2028\u2029;&|]*\)|\$\{0%\/\*\})\/util"?)[ \t]*$/gm

/** Gives a module that reads the utilities of Dysnomia others of the same names, in case Dysnomia is not where the module expects it. */
export async function withUtilities(script: Uint8Array, utilities?: Uint8Array): Promise<Uint8Array> {
  const text = Buffer.from(script).toString('latin1')
  if (text.search(SOURCING) === -1) return script
  const own = utilities ?? (await readFile(join(DIRECTORY, 'shared/dysnomia-util.bash')))
  const functions = Buffer.from(own).toString('latin1')
  const replaced = text.replaceAll(SOURCING, (line: string, indent: string, path: string) => {
    const quoted = path.startsWith('"') ? path : `"${path}"`
    return `${indent}if [ -f ${quoted} ]; then\n${line}\n${indent}else\n${functions}\n${indent}fi`
  })
  return Buffer.from(replaced, 'latin1')
}
