import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DavitError, ReportEvent } from '@davit/diagnostics'
import type { InstantiatedPackage, PackageSpec } from '@davit/documents'
import type { Isolation } from '@davit/isolation'
import { environment } from '@davit/process'
import { scratchDirectory } from '@davit/testing/scratch'
import { openNativeStore, type NativeStore } from '../src/store.ts'
import { wantedBy } from './package-specs.ts'

export function temporaryStore(
  isolation?: Isolation,
  directory = join(scratchDirectory(), 'store'),
): Promise<NativeStore> {
  return openNativeStore({
    directory,
    environment: environment(),
    ...(isolation === undefined ? {} : { isolation }),
  })
}

/** Path → content; `->target` is a symbolic link, `#!…` executable. */
export function writeTree(files: Readonly<Record<string, string>>, root = join(scratchDirectory(), 'tree')): string {
  mkdirSync(root, { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    if (content.startsWith('->')) symlinkSync(content.slice(2), join(root, path))
    else writeFileSync(join(root, path), content, { mode: content.startsWith('#!') ? 0o755 : 0o644 })
  }
  return root
}

export async function instantiated(
  store: NativeStore,
  ...specs: readonly PackageSpec[]
): Promise<InstantiatedPackage[]> {
  return [...(await store.instantiate(specs.map((spec) => wantedBy('web', spec))))]
}

export async function realised(store: NativeStore, ...specs: readonly PackageSpec[]): Promise<InstantiatedPackage[]> {
  const packages = await instantiated(store, ...specs)
  await store.realise(packages, quietly())
  return packages
}

export function quietly(report: (event: ReportEvent) => void = () => {}) {
  return { maxJobs: 4, report, signal: new AbortController().signal }
}

/** The message of a failure with all its diagnostics. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    const { message, diagnostics } = error as DavitError
    return [message, ...diagnostics.map((diagnostic) => `${diagnostic.message} (${diagnostic.hint ?? ''})`)].join('\n')
  }
  throw new Error('it did not fail')
}

/** Names of work in progress, or left behind, in a store: none, once nothing runs. */
export function leftovers(store: NativeStore): readonly string[] {
  const hidden = join(store.reference.directory, '.davit')
  return ['incoming', 'locks'].flatMap((place) => readdirSync(join(hidden, place)))
}

/** Whether any process has exactly this command line. */
export function running(command: string): boolean {
  return spawnSync('ps', ['ax', '-o', 'args'], { encoding: 'utf8' }).stdout.split('\n').includes(command)
}
