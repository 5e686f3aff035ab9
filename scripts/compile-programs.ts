import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const LAUNCHER = fileURLToPath(new URL('launcher', import.meta.url))

/**
 * Makes the bundled executables in `out/bin` start faster: moves each to `out/programs`, with the code that V8 compiles for it, and
 * leaves a launcher in its place.
 */
export function compilePrograms(names: readonly string[], out: string): void {
  mkdirSync(join(out, 'programs'))
  copyFileSync(join(LAUNCHER, 'load-program.cjs'), join(out, 'load-program.cjs'))
  for (const name of names) {
    const [executable, program] = [join(out, 'bin', `${name}.cjs`), join(out, 'programs', `${name}.js`)]
    renameSync(executable, program)
    chmodSync(program, 0o644)
    writeFileSync(program, asFunction(readFileSync(program, 'utf8')))
    copyFileSync(join(LAUNCHER, 'launch.cjs'), executable)
    chmodSync(executable, 0o755)
    rehearse(name, out)
  }
}

/**
 * Runs a program, and saves the code that V8 has compiled by then. To tell its version, davit-env evaluates none of its steps, so it
 * deploys nothing to this machine instead.
 */
function rehearse(name: string, out: string): void {
  const directory = mkdtempSync(join(tmpdir(), 'davit-rehearsal-'))
  const words = name === 'davit-env' ? ['--quiet', ...modelsIn(directory)] : ['--version']
  const places = { DAVIT_STATE_DIR: join(directory, 'state'), DAVIT_STORE_DIR: join(directory, 'store') }
  try {
    execFileSync(process.execPath, [join(LAUNCHER, 'save-compiled.cjs'), out, name, ...words], {
      env: { PATH: process.env['PATH'], HOME: directory, ...places },
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Writes models without anything to deploy, and returns the options that name them. */
function modelsIn(directory: string): readonly string[] {
  const infrastructure = { here: { clientInterface: 'local', properties: { hostname: 'localhost' } } }
  const files = { infrastructure, packages: {} }
  return Object.entries(files).map(([name, model]) => {
    const file = join(directory, `${name}.json`)
    writeFileSync(file, JSON.stringify(model))
    return `--${name}=${file}`
  })
}

/** Wraps a CommonJS module as Node does. The launcher reads it as Latin-1, which costs less and needs ASCII. */
function asFunction(program: string): string {
  const wrapped = `(function (exports, require, module, __filename, __dirname) {${program.replace(/^#!.*/, '')}\n})`
  // Left in comments only: esbuild escapes everything else.
  return wrapped.replaceAll(/\P{ASCII}/gu, '?')
}
