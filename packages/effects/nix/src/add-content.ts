import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { type ContentPackage, contentPath } from './content-path.ts'
import type { ServeClient } from './serve-client.ts'

const PACKAGE_NAME = /^(?!\.)[A-Za-z0-9+._?=-]{1,200}$/

/**
 * Adds packages made by davit to a store, in order, unless the store has them already. They are not collected while the
 * client lives.
 */
export async function addContent(
  client: ServeClient,
  storeDirectory: string,
  packages: readonly ContentPackage[],
): Promise<readonly StorePath[]> {
  for (const { name } of packages) if (!PACKAGE_NAME.test(name)) throw badName(name)
  const contents = packages.map((content) => contentPath(storeDirectory, content))
  const references = contents.flatMap((content) => content.references)
  const made = contents.map(({ path }) => path)
  const valid = await client.validPaths([...new Set([...references, ...made])], { keep: true })
  for (const path of references) if (!valid.has(path)) throw invalidPath(path)
  const missing = new Map(contents.filter(({ path }) => !valid.has(path)).map((content) => [content.path, content]))
  await Promise.all([...missing.values()].map((content) => client.add(content, inOnePiece(content.archive))))
  return made
}

export function invalidPath(path: StorePath): DavitError {
  return new DavitError('invalid-path', `'${path}' is not in the store`, {
    exitStatus: ExitStatus.noInput,
    hint: 'run davit-normalize and davit-manifest again; they make what is missing',
  })
}

function badName(name: string): DavitError {
  return new DavitError('bad-package-name', `'${name}' is not a valid package name in a Nix store`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'names consist of at most 200 letters, digits and +-._?=, and do not begin with a dot',
  })
}

async function* inOnePiece(archive: Uint8Array): AsyncGenerator<Uint8Array> {
  yield archive
}
