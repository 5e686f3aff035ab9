import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SAVE = fileURLToPath(new URL('launcher/save-compiled.cjs', import.meta.url))

/** How the steps of a deployment, and tools whose time people notice, are called in a directory with small models. V8 compiles what they use. */
const STEPS: readonly (readonly [name: string, words: string])[] = [
  ['davit-normalize', '-s empty.json -i empty.json -d empty.json --output architecture.json'],
  ['davit-manifest', 'architecture.json --format json --output manifest.json'],
  ['davit-convert', '--to xml manifest.json --output manifest.xml'],
  ['davit-convert', '--to json manifest.xml --output manifest.json'],
  ['davit-plan', '--from manifest.json manifest.json --out plan.json'],
  ['davit-distribute', 'manifest.json'],
  ['davit-lock', 'manifest.json'],
  ['davit-activate', 'manifest.json'],
  ['davit-set', 'manifest.json'],
  ['davit-unlock', 'manifest.json'],
  ['davit-visualize', 'manifest.json --format html --output picture.html'],
  ['davit-env', '--quiet -P empty.json -i here.json'],
]

/** Makes the programs of an installation start faster: saves the code that V8 compiles for them beside their parts. */
export function compilePrograms(names: readonly string[], out: string): void {
  const directory = mkdtempSync(join(tmpdir(), 'davit-compile-'))
  const run = (name: string, words: readonly string[]) =>
    execFileSync(process.execPath, [SAVE, out, name, ...words], {
      cwd: directory,
      env: { PATH: process.env['PATH'], DAVIT_STATE_DIR: directory, DAVIT_STORE_DIR: join(directory, 'store') },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  const here = { clientInterface: 'local', properties: { hostname: 'localhost' } }
  try {
    writeFileSync(join(directory, 'empty.json'), '{}')
    writeFileSync(join(directory, 'here.json'), JSON.stringify({ here }))
    for (const name of names) run(name, ['--version'])
    // One step needs what another prints.
    if (STEPS.every(([name]) => names.includes(name))) {
      for (const [name, words] of STEPS) run(name, words.split(' '))
    }
  } finally {
    // Directories in a store are read-only.
    execFileSync('chmod', ['-R', 'u+w', directory])
    rmSync(directory, { recursive: true })
  }
}
