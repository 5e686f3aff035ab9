import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { installedShells } from '@davit/testing/shells'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'

import { loaded } from '../src/target-runtime.ts'

const root = mkdtempSync(join(tmpdir(), 'davit-session-'))
chmodSync(root, 0o755)
afterAll(() => rmSync(root, { recursive: true, force: true }))

const isRoot = process.getuid?.() === 0
if (!isRoot) console.warn('SKIPPED: sessions of several accounts, which only root can begin')

/** What stands for the machine: answers of the programs of systemd, and whether systemd-run works. */
interface Machine {
  readonly group: string
  readonly uid?: number
  /** KillExcludeUsers, KillOnlyUsers, KillUserProcesses. */
  readonly logind?: readonly [string, string, string]
  readonly linger?: string
  readonly killMode?: string
  readonly runs?: 'fails'
}

const NOBODY = 'as 0'
const ME = 'as 2 "other" "daemon"'
const SESSION = '0::/user.slice/user-1.slice/session-3.scope'
const OF_ROOT = '0::/user.slice/user-0.slice/session-3.scope'
const KILLS = [NOBODY, NOBODY, 'b true'] as const
const LINGERS = 'Linger=yes'

function write(path: string, text: string): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o755 })
}

beforeEach(() => {
  mkdirSync(join(root, 'run/systemd/system'), { recursive: true })
  const answer = (name: string) => write(`bin/${name}`, `#!/bin/sh\ncat '${root}/${name}'\n`)
  for (const name of ['busctl', 'loginctl', 'systemctl']) answer(name)
  write(
    'bin/systemd-run',
    `#!/bin/sh\n[ ! -e '${root}/fails' ] || exit 1\nIN_SCOPE="$1 $2 $XDG_RUNTIME_DIR"; shift 3; export IN_SCOPE; exec "$@"\n`,
  )
})

describe.skipIf(!isRoot).each(installedShells())('leave_session under $name', (shell) => {
  /** Prints what ends it, and the scope in which the script runs after that. */
  function left({ group, uid = 1, logind = KILLS, linger = 'Linger=no', killMode = '', runs }: Machine): string {
    write('proc/self/cgroup', `${group}\n`)
    write('busctl', `${logind.join('\n')}\n`)
    write('loginctl', `${linger}\n`)
    write('systemctl', `KillMode=${killMode}\n`)
    rmSync(join(root, 'fails'), { force: true })
    if (runs !== undefined) write('fails', '')
    const { loader, input } = loaded('printf "%s|%s\\n" "${fleeting-}" "${IN_SCOPE-}"\n', 'marker', 'leave')
    const env = { PATH: `${join(root, 'bin')}:${shell.path}`, DAVIT_BOOT_ROOT: root }
    const { stdout, stderr } = spawnSync(shell.program, ['-c', loader], { env, input, uid, gid: uid, encoding: 'utf8' })
    return `${stdout}${stderr}`.trim()
  }

  test.each<readonly [string, Machine]>([
    ['outside of a unit', { group: '0::/' }],
    ['in a container that a unit of another systemd runs', { group: '0::/system.slice/docker-1.scope' }],
    ['where logind spares sessions', { group: SESSION, logind: [NOBODY, NOBODY, 'b false'] }],
    ['where logind spares the account', { group: SESSION, logind: [ME, NOBODY, 'b true'] }],
    ['where logind ends those of others', { group: SESSION, logind: [NOBODY, 'as 1 "other"', 'b true'] }],
    ['of root, whom logind spares', { group: OF_ROOT, uid: 0 }],
    ['in a unit that only ends its own process', { group: '0::/system.slice/ssh.service', killMode: 'process' }],
    ['in a unit that ends nothing', { group: '0::/system.slice/ssh.service', killMode: 'none' }],
    [
      'in a scope of the systemd of an account that lingers',
      { group: '0::/user.slice/user-1.slice/user@1.service/app.slice/run-1.scope', linger: LINGERS },
    ],
  ])('stays %s', (_, machine) => {
    expect(left(machine)).toBe('|')
  })

  test.each<readonly [string, Machine, string]>([
    ['that logind ends', { group: SESSION }, 'session daemon session-3.scope'],
    [
      'that logind ends as one of some',
      { group: SESSION, logind: [NOBODY, ME, 'b false'] },
      'session daemon session-3.scope',
    ],
    [
      'in the first version of control groups',
      { group: `4:memory:/\n1:name=systemd:${SESSION.slice(3)}\n0::/` },
      'session daemon session-3.scope',
    ],
    [
      'of the systemd of an account that does not linger',
      { group: '0::/user.slice/user-1.slice/user@1.service/app.slice/vte-1.scope' },
      'manager daemon vte-1.scope',
    ],
    [
      'in a group below a unit',
      { group: '0::/system.slice/runner.service/jobs', killMode: 'mixed' },
      'unit daemon runner.service',
    ],
    ['where systemd-run fails', { group: SESSION, linger: LINGERS, runs: 'fails' }, 'scope daemon session-3.scope'],
    [
      'of root where systemd-run fails',
      { group: '0::/system.slice/nightly.service', uid: 0, killMode: 'control-group', runs: 'fails' },
      'scope root nightly.service',
    ],
  ])('says what ends a session %s', (_, machine, fleeting) => {
    expect(left(machine)).toBe(`${fleeting}|`)
  })

  test.each<readonly [string, Machine, string]>([
    ['of an account that lingers', { group: SESSION, linger: LINGERS }, '--user --scope /run/user/1'],
    [
      'of root, whom logind does not spare',
      { group: OF_ROOT, uid: 0, logind: ['as 1 "other"', NOBODY, 'b true'] },
      '--system --scope',
    ],
    ['of somebody who has become root', { group: SESSION, uid: 0 }, '--system --scope'],
    [
      'of the systemd of somebody who has become root',
      { group: '0::/user.slice/user-1.slice/user@1.service/app.slice/vte-1.scope', uid: 0 },
      '--system --scope',
    ],
    [
      'in a unit of root',
      { group: '0::/system.slice/nightly.service', uid: 0, killMode: 'control-group' },
      '--system --scope',
    ],
    [
      'in a unit of the account',
      {
        group: '0::/user.slice/user-1.slice/user@1.service/app.slice/nightly.service',
        linger: LINGERS,
        killMode: 'control-group',
      },
      '--user --scope /run/user/1',
    ],
  ])('leaves one %s', (_, machine, scope) => {
    expect(left(machine)).toBe(`|${scope}`)
  })

  test('stays where systemd does not run', () => {
    rmSync(join(root, 'run'), { recursive: true })
    expect(left({ group: SESSION })).toBe('|')
  })
})
