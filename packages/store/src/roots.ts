import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { syncDirectory } from '@davit/files'
import type { StoreContext } from './store-context.ts'
import { withWorkspace } from './workspace.ts'

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}$/

/** Keeps a path and its closure, in place of what had this name before. */
export async function addRoot(context: StoreContext, name: string, path: StorePath): Promise<void> {
  const { layout, registry } = context
  checkName(name)
  registry.get(path)
  await context.prepare()
  await withWorkspace(layout, async (workspace) => {
    symlinkSync(path, join(workspace, 'root'))
    renameSync(join(workspace, 'root'), join(layout.roots, name))
    await syncDirectory(layout.roots)
  })
}

export async function removeRoot({ layout }: StoreContext, name: string): Promise<void> {
  checkName(name)
  rmSync(join(layout.roots, name), { force: true })
}

function checkName(name: string): void {
  if (NAME.test(name)) return
  throw new DavitError('bad-root-name', `'${name}' cannot be the name of a root`, {
    exitStatus: ExitStatus.usage,
    hint: 'names match [A-Za-z0-9_][A-Za-z0-9_.+-]*',
  })
}
