import { setImmediate } from 'node:timers/promises'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import type { TreeVisitor } from '@davit/files'
import { asideDirectory } from './altered-marks.ts'
import type { Registration } from './registration.ts'
import { differenceIn, signsIn } from './signs-of-change.ts'
import type { StoreContext } from './store-context.ts'
import { digestTree, treeDigester } from './tree-digest.ts'

/** A package whose content is not that of its registration. */
export interface Alteration {
  readonly path: StorePath
  /** How it differs. */
  readonly what: string
}

/**
 * Fails if a valid path is not what its registration says. Reads the content only of those whose sizes or times differ; that of the others
 * is compared when they are read (see `contentGuard`). Returns those with other times and the same content.
 */
export async function refuseAltered(
  context: StoreContext,
  registrations: readonly Registration[],
): Promise<readonly StorePath[]> {
  const altered: Alteration[] = []
  const touched: StorePath[] = []
  for (const registration of registrations) {
    const state = await stateOf(registration)
    if (state.kind === 'touched') touched.push(registration.path)
    if (state.kind === 'altered') altered.push({ path: registration.path, what: state.what })
  }
  if (altered.length > 0) throw refusalOf(context, altered)
  return touched
}

/** Compares a tree with its registration while it is read; fails at its end. */
export function contentGuard(context: StoreContext, registration: Registration): TreeVisitor {
  const digester = treeDigester()
  const { path, contentHash } = registration
  return {
    entry: (entry) => digester.entry(entry),
    chunk: (chunk) => digester.chunk(chunk),
    end() {
      if (digester.digest().contentHash === contentHash) return
      throw refusalOf(context, [{ path, what: differenceIn(registration, signsIn(registration)) }])
    },
  }
}

/** Marks packages as altered, and returns the error that names them. */
function refusalOf({ registry, layout }: StoreContext, altered: readonly Alteration[]): DavitError {
  for (const { path, what } of altered) registry.markAltered(path, what)
  return alteredPackages(altered, asideDirectory(layout))
}

export function alteredPackages(altered: readonly Alteration[], aside: string): DavitError {
  const [first] = altered
  const texts = altered.map(({ path, what }) => `'${path}' is not what it was when it was made: ${what}`)
  const isOne = altered.length === 1 && first !== undefined
  return new DavitError(
    'altered-package',
    isOne ? (texts[0] as string) : `${altered.length} packages are not what they were when they were made`,
    {
      exitStatus: ExitStatus.failed,
      fields: { altered: altered.map(({ path }) => path) },
      hint: `it is not sent; davit-env with the models makes ${isOne ? 'it' : 'them'} again, and keeps what is there now in '${aside}'`,
      ...(isOne ? {} : { diagnostics: texts.map((message) => ({ severity: 'error' as const, message })) }),
    },
  )
}

/** The error for a package of another machine whose content is not that of its registration there. */
export function alteredElsewhere(path: StorePath): DavitError {
  return new DavitError('altered-package', `'${path}' arrived with another content than its registration has`, {
    exitStatus: ExitStatus.badDocument,
    fields: { altered: [path] },
    hint: 'nothing was added; somebody or something has changed the store of the other machine',
  })
}

type PackageState = { readonly kind: 'same' | 'touched' } | { readonly kind: 'altered'; readonly what: string }

/** Finds out what became of a package. One whose size and times are as they should be counts as the same. */
async function stateOf(registration: Registration): Promise<PackageState> {
  await setImmediate()
  const signs = signsIn(registration)
  if (signs.unusual === undefined) {
    const { file, directory, size } = signs
    if (size === registration.size && file === undefined && directory === undefined) return { kind: 'same' }
    if ((await digestTree(registration.path)).contentHash === registration.contentHash) return { kind: 'touched' }
  }
  return { kind: 'altered', what: differenceIn(registration, signs) }
}
