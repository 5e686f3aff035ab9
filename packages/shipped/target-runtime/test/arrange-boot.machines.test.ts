import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

import { sampleOf } from '@davit/testing/effort'
import { installedShells } from '@davit/testing/shells'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { quote, runtime } from '../src/runtime-script.ts'

const SCRIPT = runtime({ own: ['common', 'claim', 'refuse', 'restart', 'trial', 'trial-begin'] })
const MEANS = ['systemd', 'openrc', 'cron'] as const
const { uid, homedir } = userInfo()
/** After a restart, what belongs to somebody else cannot be seen from outside by an account without privileges. */
const AS_ROOT = uid === 0

describe.each(installedShells())('arrange_boot in $name', ({ program, path: utilities, inDepth }) => {
  let root: string
  let place: string
  beforeEach(() => {
    root = mkdtempSync(join(homedir, '.davit-boot-'))
    place = join(root, 'state/targets/t1/trials')
    mkdirSync(join(place, '.new.default'), { recursive: true })
  })
  afterEach(() => rmSync(root, { recursive: true }))

  const begun = () => join(root, 'begun')
  const run = (script: string) =>
    spawnSync(program, ['-c', script], { encoding: 'utf8', env: { PATH: utilities, DAVIT_BOOT_ROOT: root } })
  /** Arranges it where only one of the means is there; returns the means, and the command that the machine would run. */
  const arrange = (means: (typeof MEANS)[number], trials = place) => {
    if (means === 'systemd') mkdirSync(join(root, 'run/systemd/system'), { recursive: true })
    for (const directory of ['etc/cron.d', 'etc/init.d', 'etc/systemd/system'])
      mkdirSync(join(root, directory), { recursive: true })
    const variables = {
      trial: join(trials, 'default'),
      prepared: join(trials, '.new.default'),
      user: '0',
      arranged: '',
      state: root,
    }
    const assigned = Object.entries(variables).map(([name, value]) => `${name}=${quote(value)}`)
    const choose = `find_starter() { starter=${means} boot_root=$DAVIT_BOOT_ROOT; }`
    const { stdout, stderr } = run(`${SCRIPT}\n${assigned.join(' ')}\n${choose}\narrange_boot\necho "$survives"`)
    expect(stderr).toBe('')
    return stdout.trim()
  }
  const filesIn = (directory: string) =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .map((name) => join(directory, name))
      .filter((name) => name.includes('davit-trial-'))
  const command = () => {
    const [file = ''] = filesIn(join(root, 'etc'))
    const text = readFileSync(file, 'utf8')
    const [, found] =
      /^(?:@reboot root (.*)|ExecStart=(\/bin\/sh -c '.*')|start\(\) \{ \{ (.*); \} & \})$/m
        .exec(text)
        ?.filter(Boolean) ?? []
    return found ?? ''
  }
  /** The trial as it is once it has begun. */
  const begin = () => {
    renameSync(join(place, '.new.default'), join(place, 'default'))
    writeFileSync(join(place, 'default/script'), `: >${quote(begun())}\n`)
  }

  test.runIf(AS_ROOT).each(MEANS)('has %s start the script, as long as it is that of davit', (means) => {
    const trial = join(place, 'default')
    expect(arrange(means)).toBe(means)
    const start = command()
    expect(start).toContain(`exec /bin/sh ${trial}/script`)
    begin()
    run(start)
    expect(existsSync(begun())).toBe(true)
    const refuses = (change: () => void, restore: () => void) => {
      rmSync(begun(), { force: true })
      change()
      run(start)
      expect(existsSync(begun())).toBe(false)
      restore()
      run(start)
      expect(existsSync(begun())).toBe(true)
    }
    const steps = [`${trial}/script`, trial, place, join(root, 'state')]
    for (const step of inDepth ? steps : sampleOf(steps, 1)) {
      refuses(
        () => chownSync(step, 4242, 0),
        () => chownSync(step, 0, 0),
      )
      refuses(
        () => chmodSync(step, 0o777),
        () => chmodSync(step, 0o755),
      )
      refuses(
        () => chmodSync(step, 0o1777),
        () => chmodSync(step, 0o755),
      )
      refuses(
        () => (chownSync(step, 0, 4242), chmodSync(step, 0o770)),
        () => (chownSync(step, 0, 0), chmodSync(step, 0o755)),
      )
      refuses(
        () => (renameSync(step, `${root}/aside`), symlinkSync(`${root}/aside`, step)),
        () => (rmSync(step), renameSync(`${root}/aside`, step)),
      )
    }
  })

  test.runIf(AS_ROOT)('arranges nothing where others may put something in the place of the script', () => {
    for (const [mode, owner] of [
      [0o777, 0],
      [0o1777, 0],
      [0o755, 4242],
    ] as const) {
      chmodSync(join(root, 'state'), mode)
      chownSync(join(root, 'state'), owner, 0)
      for (const means of MEANS) expect([means, mode, arrange(means)]).toEqual([means, mode, 'none'])
    }
    const below = mkdtempSync(join(tmpdir(), 'davit-boot-'))
    mkdirSync(join(below, '.new.default'))
    for (const means of MEANS) expect(arrange(means, below)).toBe('none')
    rmSync(below, { recursive: true })
    expect(filesIn(join(root, 'etc'))).toEqual([])
  })

  const names = ['a b', "it's", 'a%b', '$(id)', 'ä', '\\', 'a;b', 'a&b', '*']
  test.each(inDepth ? names : sampleOf(names, 2))('arranges nothing for a path with %j', (name) => {
    const trials = join(root, name, 'trials')
    mkdirSync(join(trials, '.new.default'), { recursive: true })
    for (const means of MEANS) expect(arrange(means, trials)).toBe('none')
    expect(filesIn(join(root, 'etc'))).toEqual([])
  })

  test.runIf(AS_ROOT)('follows a link to the directory of the state only once', () => {
    symlinkSync(join(root, 'state'), join(root, 'link'))
    expect(arrange('cron', join(root, 'link/targets/t1/trials'))).toBe('cron')
    expect(command()).toContain(`exec /bin/sh ${place}/default/script`)
  })
})
