import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { bundleExecutables } from '../../../scripts/bundle-programs.ts'
import { type Executable, executables, ROOT } from '../../../scripts/executables.ts'
import { DEPLOYERS } from './points.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const FAULTY: readonly string[] = ['davit-env', 'davit-adopt', ...DEPLOYERS]

/**
 * Copies an installation, with a davit-env and single tools that can be interrupted at every point. `compiled` caches the code that
 * V8 compiles.
 */
export async function installFaulty(prefix: string, faulty: string): Promise<void> {
  const [from, to] = [join(prefix, 'lib/davit'), join(faulty, 'lib/davit')]
  await mkdir(join(to, 'bin'), { recursive: true })
  await mkdir(join(faulty, 'bin'))
  await mkdir(join(faulty, 'compiled'))
  for (const name of await readdir(from)) {
    if (name !== 'bin') await symlink(join(from, name), join(to, name))
  }
  const programs = executables().filter(({ name }) => FAULTY.includes(name))
  await bundleExecutables(programs, join(to, 'bin'), [faultyParts(programs)])
  for (const name of await readdir(join(prefix, 'bin'))) {
    const program = FAULTY.includes(name) ? `../lib/davit/bin/${name}.cjs` : join(prefix, 'bin', name)
    await symlink(program, join(faulty, 'bin', name))
  }
}

/** Which import, from which sources, is replaced by which module. */
const PARTS = [
  { filter: /^@davit\/connection$/, from: '', faulty: 'faulty-connection.ts' },
  { filter: /^node:fs$/, from: join(ROOT, 'packages/machines/store/'), faulty: 'faulty-files.ts' },
  { filter: /^node:fs$/, from: join(ROOT, 'packages/effects/files/'), faulty: 'faulty-files.ts' },
  { filter: /^@davit\/process$/, from: join(ROOT, 'packages/machines/store/'), faulty: 'faulty-process.ts' },
] as const

function faultyParts(programs: readonly Pick<Executable, 'entry'>[]): Plugin {
  return {
    name: 'faulty-parts',
    setup({ onResolve, onLoad }) {
      // Makes the beginning of each program its first point, and the beginning of a step the first one of its tool.
      onLoad({ filter: /\/src\/bin[a-z-]*\.ts$/ }, async ({ path }) => {
        const contents = `import ${JSON.stringify(join(HERE, 'pass.ts'))}\n${await readFile(path, 'utf8')}`
        return programs.some(({ entry }) => entry === path)
          ? { contents, loader: 'ts', resolveDir: dirname(path) }
          : undefined
      })
      onResolve({ filter: /^\.\/perform\.ts$/ }, ({ path, importer }) =>
        importer.endsWith('/tool/src/run-steps.ts') ? { path, namespace: 'faulty-step' } : undefined,
      )
      onLoad({ filter: /./, namespace: 'faulty-step' }, () => ({ contents: FAULTY_PERFORM, resolveDir: ROOT }))
      for (const { filter, from, faulty } of PARTS) {
        onResolve({ filter }, ({ importer }) => {
          const isFaulty = importer.startsWith(from) && !importer.startsWith(HERE)
          return isFaulty ? { path: join(HERE, faulty) } : undefined
        })
      }
    },
  }
}

/** Has a step performed in davit-env. */
const PERFORM = join(ROOT, 'packages/toolkit/tool/src/perform.ts')

/** The module that takes its place there, and tells which tool's step is performed. */
const FAULTY_PERFORM = `export * from ${JSON.stringify(PERFORM)}
import { perform as real } from ${JSON.stringify(PERFORM)}
import { duringStep } from ${JSON.stringify(join(HERE, 'pass.ts'))}
export const perform = (step, surroundings, work) =>
  real(step, surroundings, (performance) => duringStep(step.name, () => work(performance)))
`
