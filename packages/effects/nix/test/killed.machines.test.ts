import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { until } from '@davit/testing/wait'
import { describe, expect, test } from 'vitest'
import { programCompiler } from '../../../../scripts/test.d/program-compiler.ts'

const compile = programCompiler()

describe.skipIf(noPrivateNix !== undefined)('with Nix', () => {
  const nix = privateNixOfFile()

  test('realiseDerivations() leaves no builder when its process is killed', async () => {
    const pidFile = nix.place('builder')
    const script = `echo $$ >${pidFile}.new; /bin/mv ${pidFile}.new ${pidFile}; exec /bin/sleep 600`
    const expression = `derivation { name = "endless"; system = builtins.currentSystem; builder = "/bin/sh"; args = [ "-c" "${script.replaceAll('$', '\\$')}" ]; }`
    const [derivation = ''] = nix.shell('nix-instantiate --expr "$1" 2>/dev/null', expression).split('\n')
    const program = spawn('node', [await compile(new URL('programs/realise.ts', import.meta.url)), derivation], {
      env: nix.environment,
      stdio: 'ignore',
    })
    await until(() => expect(existsSync(pidFile)).toBe(true))
    const builder = Number(readFileSync(pidFile, 'utf8'))
    expect(existsSync(`/proc/${builder}`)).toBe(true)
    program.kill('SIGKILL')
    try {
      await until(() => expect(existsSync(`/proc/${builder}`)).toBe(false))
    } finally {
      if (existsSync(`/proc/${builder}`)) process.kill(builder, 'SIGKILL')
    }
  })
})
