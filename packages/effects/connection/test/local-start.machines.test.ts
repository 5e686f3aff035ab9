import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { programCompiler } from '../../../../scripts/test.d/program-compiler.ts'

const compile = programCompiler()
const isRoot = process.getuid?.() === 0
if (!isRoot) console.warn('SKIPPED: what only root can give back to a script')

let directory: string
let startsLocal: string
beforeAll(async () => {
  startsLocal = await compile(new URL('programs/starts-local.ts', import.meta.url))
  directory = mkdtempSync(join(tmpdir(), 'davit-local-start-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

/** Prints what a local script prints that is started by a caller who has done this before. */
function said(before: string, script: string): string {
  const node = [process.execPath, startsLocal, script]
  const words = ['-c', `${before}\nexec "$@"`, 'bash', ...node]
  const { stdout, stderr } = spawnSync('bash', words, { encoding: 'utf8', env: { ...process.env, D: directory } })
  return `${stdout}${stderr}`.trim()
}

/** Some containers withhold that from root. */
const mayRaise = spawnSync('sh', ['-c', 'ulimit -n 300 && ulimit -n 400']).status === 0
if (!mayRaise) console.warn('SKIPPED: limits that only root may raise')

/** A soft limit of this machine's first process, as far as this one may have it. */
function usual(option: string, name: string, unit: number): string {
  const first = option === '-n' && isSystemd() ? '1024' : softLimit(name)
  const hard = spawnSync('sh', ['-c', `ulimit -H ${option}`], { encoding: 'utf8' }).stdout.trim()
  const [wanted, highest] = [first, hard].map((value) => (value === 'unlimited' ? Infinity : Number(value)))
  const value = Math.min((wanted ?? 0) / unit, mayRaise ? Infinity : (highest ?? 0))
  return value === Infinity ? 'unlimited' : String(value)
}

function isSystemd(): boolean {
  return readFileSync('/proc/1/comm', 'latin1').trim() === 'systemd'
}

function softLimit(name: string): string {
  const limits = readFileSync('/proc/1/limits', 'latin1').split('\n')
  const line = limits.find((one) => one.startsWith(name)) ?? ''
  return line.slice(name.length).trim().split(/\s+/)[0] ?? ''
}

describe('a local script does not have of its caller', () => {
  const DESCRIPTORS = 'for fd in /proc/self/fd/*; do case ${fd##*/} in [0-2]) ;; *) readlink "$fd" ;; esac; done'

  test('descriptors, low or high', () => {
    expect(said('exec 200>"$D/lock" 4000>"$D/other" 7<"$D/lock" 19<"$D/lock"', DESCRIPTORS)).toBe('')
  })

  test('signals that it ignores', () => {
    const ignored = said("trap '' HUP INT QUIT PIPE TERM USR1 USR2 CHLD TSTP", 'grep SigIgn /proc/self/status')
    expect(Number.parseInt(ignored.split('\t')[1] ?? '', 16) % 2 ** 31).toBe(0)
  })

  test('a terminal, or its session', () => {
    const stat = said('', 'read -r stat </proc/self/stat; echo "$$ ${stat##*) }"').split(' ')
    const [pid, , , group, session, terminal] = stat
    expect([group, session, terminal]).toEqual([pid, pid, '0'])
  })

  test('what Node.js has made of the limit of open files', () => {
    expect(said('ulimit -S -n 300', 'ulimit -S -n')).toBe(usual('-n', 'Max open files', 1))
  })

  test.each([
    ['-t', 3000, 'Max cpu time', 1],
    ['-f', 300_000, 'Max file size', 512],
    ['-n', 400, 'Max open files', 1],
    ['-s', 4096, 'Max stack size', 1024],
    ['-c', 5, 'Max core file size', 512],
    ['-v', 90_000_000, 'Max address space', 1024],
  ])('the limit that ulimit -S %s has set', (option, value, name, unit) => {
    expect(said(`ulimit -S ${option} ${value}`, `ulimit -S ${option}`)).toBe(usual(option, name, unit))
  })

  test.runIf(mayRaise).each([
    ['-t', 3000, 'Max cpu time', 1],
    ['-n', 400, 'Max open files', 1],
  ])('the limit that ulimit %s has set, for root', (option, value, name, unit) => {
    expect(said(`ulimit ${option} ${value}`, `ulimit -S ${option}`)).toBe(usual(option, name, unit))
  })

  test.runIf(isRoot).each([
    ['renice 7 -p $$ >/dev/null', 'read -r stat </proc/self/stat; set -- ${stat##*) }; shift 16; echo "$1"', '0'],
    ['echo 500 >/proc/$$/oom_score_adj', 'cat /proc/self/oom_score_adj', '0'],
    ['ionice -c 3 -p $$', 'ionice -p $$', 'none: prio 0'],
    ['ionice -c 2 -n 7 -p $$', 'ionice -p $$', 'none: prio 0'],
  ])('what %s has set', (before, script, expected) => {
    expect(said(before, script)).toBe(expected)
  })

  test('the only processor that it may use', () => {
    const usual = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/1/status', 'latin1'))?.[1] ?? ''
    const one = usual.split(/[,-]/)[0] ?? ''
    expect(said(`taskset -pc ${one} $$ >/dev/null`, 'grep Cpus_allowed_list /proc/self/status')).toMatch(
      new RegExp(`\t${usual}$`),
    )
  })
})

test('a local script reads no file of the user on its way', () => {
  writeFileSync(join(directory, '.bashrc'), 'echo read; echo read >&2\n')
  const before = 'unset SHLVL; export HOME="$D" BASH_ENV="$D/.bashrc"; exec 200>"$D/lock"'
  expect(said(before, 'echo "said ${SHLVL-}" | cut -c1-4; exec 2>&1')).toBe('said')
})
