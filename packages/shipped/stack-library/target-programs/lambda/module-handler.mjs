import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const ENDINGS = ['.mjs', '.js', '.cjs', '']

/** Loads the function MODULE.EXPORT of the working directory. */
export async function moduleHandler(name) {
  const end = name.lastIndexOf('.')
  const [module, member] = [name.slice(0, end), name.slice(end + 1)]
  const path = ENDINGS.map((ending) => resolve(module + ending)).find((file) => existsSync(file))
  if (end < 1 || path === undefined)
    refuse(name, `there is no module '${end < 1 ? name : module}' in '${process.cwd()}'`)
  const loaded = await import(pathToFileURL(path).href)
  const handler = loaded[member] ?? loaded.default?.[member]
  if (typeof handler !== 'function') refuse(name, `'${path}' exports no function '${member}'`)
  return ({ method, path, query, headers, body }) =>
    handler({ method, path, query, headers, body: body.toString('utf8') })
}

function refuse(name, reason) {
  console.error(`cannot load the handler '${name}', which is MODULE.EXPORT: ${reason}`)
  process.exit(1)
}
