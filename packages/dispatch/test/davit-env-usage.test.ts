import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../../scripts/davit-env', import.meta.url))
const shells = [['dash'], ['bash'], ['busybox', 'sh']].filter(
  ([program = '']) => spawnSync(program, ['--help']).error === undefined,
)

describe.each(shells)('davit-env in %s', (program = '', ...options) => {
  const run = (words: string, environment: Readonly<Record<string, string>> = {}) =>
    spawnSync(program, [...options, script, ...words.split(' ')], {
      env: { PATH: '/usr/bin:/bin', ...environment },
      encoding: 'utf8',
    })

  const BOTH = 'the infrastructure model (-i) and the distribution model (-d) are missing'
  test.each([
    ['-s s', BOTH, '-s, -i and -d belong together'],
    ['--services=s --dry-run', BOTH, '-s, -i and -d belong together'],
    ['-s s -i i -P p', 'the distribution model (-d) is missing', '-s, -i and -d belong together'],
    ['-id -di', 'the services model (-s) is missing', '-s, -i and -d belong together'],
    ['-P p', 'the infrastructure model (-i) is missing', '-P needs the infrastructure model as well'],
    ['--undeploy', 'the infrastructure model (-i) is missing', '--undeploy needs the infrastructure model as well'],
    ['-i i', 'an infrastructure model alone deploys nothing', 'add -s and -d, or -P'],
    ['--store nix', 'no models', 'name them with -s, -i and -d'],
  ])('%s is refused, with what is missing', (words, message, hint) => {
    const { status, stderr } = run(words)
    expect([status, stderr]).toEqual([64, expect.stringContaining(`davit-env: ${message} [usage]\nhint: ${hint}`)])
  })

  test.each([
    ['DAVIT_LOCK_LEASE', '1m'],
    ['DAVIT_ANSWER_TIMEOUT', '0'],
    ['DAVIT_STATE_DIR', 'state'],
    ['DAVIT_SKIP_UNREACHABLE', 'maybe'],
    ['DAVIT_USE_SUBSTITUTES', 'maybe'],
  ])('a wrong %s, which later steps read, is refused before anything is built', (variable, value) => {
    const { status, stderr } = run('-s s -i i -d d', { [variable]: value })
    expect([status, stderr]).toEqual([
      64,
      expect.stringMatching(`^davit-env: .*${variable}.*'${value}' \\[usage\\]\nhint: `),
    ])
  })
})
