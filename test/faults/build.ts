import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { bundleExecutables } from '../../scripts/bundle-programs.ts'
import { executables } from '../../scripts/executables.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
/** Tools that work under davit-env over connections. */
const CONNECTING = ['davit-distribute', 'davit-lock', 'davit-activate', 'davit-set']

/** An installation as the one given, whose tools can be interrupted at every point. */
export async function installFaulty(prefix: string, faulty: string): Promise<void> {
  const [from, to] = [join(prefix, 'lib/davit'), join(faulty, 'lib/davit')]
  await mkdir(join(to, 'bin'), { recursive: true })
  await mkdir(join(faulty, 'bin'))
  for (const name of await readdir(from)) {
    if (name !== 'bin') await symlink(join(from, name), join(to, name))
  }
  const programs = executables().filter(({ name }) => CONNECTING.includes(name))
  await bundleExecutables(programs, join(to, 'bin'), [faultyConnection])
  for (const name of CONNECTING) await symlink(`../lib/davit/bin/${name}.cjs`, join(faulty, 'bin', name))
  for (const name of await readdir(join(prefix, 'bin'))) {
    if (name === 'davit-env') await cp(join(prefix, 'bin', name), join(faulty, 'bin', name))
    else if (!CONNECTING.includes(name)) await symlink(join(prefix, 'bin', name), join(faulty, 'bin', name))
  }
}

const faultyConnection: Plugin = {
  name: 'faulty-connection',
  setup({ onResolve }) {
    onResolve({ filter: /^@davit\/connection$/ }, ({ importer }) =>
      importer.startsWith(HERE) ? undefined : { path: join(HERE, 'faulty-connection.ts') },
    )
  },
}
