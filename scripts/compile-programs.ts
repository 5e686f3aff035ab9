import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
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
    execFileSync(process.execPath, [join(LAUNCHER, 'save-compiled.cjs'), out, name, '--version'])
  }
}

/** Wraps a CommonJS module as Node does. The launcher reads it as Latin-1, which costs less and needs ASCII. */
function asFunction(program: string): string {
  const wrapped = `(function (exports, require, module, __filename, __dirname) {${program.replace(/^#!.*/, '')}\n})`
  // Left in comments only: esbuild escapes everything else.
  return wrapped.replaceAll(/\P{ASCII}/gu, '?')
}
