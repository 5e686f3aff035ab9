import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SAVE = fileURLToPath(new URL('launcher/save-compiled.cjs', import.meta.url))

/** How the steps of a deployment, and tools whose time people notice, are called in a directory with small models. V8 compiles what they use. */
const STEPS: readonly (readonly [name: string, words: string])[] = [
  ['davit-normalize', '-s empty.json -i empty.json -d empty.json --output architecture.json'],
  ['davit-compile-stack', 'stack --skip-codegen --output compiled.json -- port=8001'],
  ['davit-compile-stack', 'stack -i here.json --output stack.json -- port=8001'],
  ['davit-normalize', '-A stack.json --output architecture-of-stack.json'],
  ['davit-manifest', 'architecture-of-stack.json --output manifest-of-stack.xml'],
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
  try {
    writeModels(directory)
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

function writeModels(directory: string): void {
  const write = (file: string, content: string) => writeFileSync(join(directory, file), content)
  const here = { clientInterface: 'local', properties: { hostname: 'localhost' }, containers: { process: {} } }
  write('empty.json', '{}')
  write('here.json', JSON.stringify({ here }))
  mkdirSync(join(directory, 'stack/package'), { recursive: true })
  write('stack/Muspace.yaml', '')
  write('stack/Mu.yaml', STACK)
  write('stack/package/run', '#!/bin/sh\n')
}

const STACK = `name: stack
properties: { port: { type: number } }
services:
  private:
    store: { type: davit/x/service, module: process, source: package, port: 8000 }
  public:
    web: { type: davit/x/service, module: process, source: package, port: {{ .Properties.port }}, links: { store: store } }
`
