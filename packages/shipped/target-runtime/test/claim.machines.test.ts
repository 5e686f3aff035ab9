import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { HIDE_PID, type HidePid, withHiddenProc } from '@davit/testing/hidden-proc'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const PARTS = ['common', 'claim']
  .map((part) => readFileSync(new URL(`../runtime/${part}.sh`, import.meta.url), 'utf8'))
  .join('\n')
const shells = [['dash'], ['bash'], ['busybox', 'sh']].filter(
  ([program = '']) => spawnSync(program, ['--help']).error === undefined,
)

describe.each(shells)('claims in %s', (...shell) => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'davit-claim-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const [program = '', ...options] = shell
  const argvOf = (script: string) =>
    [program, ...options, '-c', `${PARTS}\ncd '${directory}'\nprocess_identity $$\nself=$identity\n${script}`] as const
  const start = ([file = '', ...rest]: readonly string[]) =>
    new Promise<number | null>((resolve) => {
      spawn(file, rest, { stdio: 'inherit' }).on('exit', resolve)
    })
  const run = (script: string) => start(argvOf(script))
  const runAsOther = (hidePid: HidePid, script: string) => start(withHiddenProc(hidePid, argvOf(script)))

  test('let one in at a time, even after a dead owner', async () => {
    writeFileSync(join(directory, 'count'), '0\n')
    symlinkSync('999999:1:gone', join(directory, 'link'))
    const increment = 'claim_in_turn link "$self"; read -r n <count; echo $((n + 1)) >count; rm link'
    const statuses = await Promise.all(
      Array.from({ length: 6 }, () => run(`for i in 1 2 3 4 5; do ${increment}; done`)),
    )
    expect(statuses).toEqual([0, 0, 0, 0, 0, 0])
    expect(readFileSync(join(directory, 'count'), 'utf8')).toBe('30\n')
    expect(readdirSync(directory)).toEqual(['count'])
  })

  test('are refused while their owner lives', async () => {
    expect(await run('claim link "$self" && ! claim link other && [ $? = 0 ]; claim link other; [ $? = 1 ]')).toBe(0)
  })

  test('are taken over from a process that only has the same number', async () => {
    expect(await run('ln -s "$$:1:$boot" link && claim link "$self" && [ "$(readlink link)" = "$self" ]')).toBe(0)
    expect(await run('rm link; ln -s "${self%:*}:another-boot" link && claim link "$self"')).toBe(0)
  })

  test.each(HIDE_PID)('stay with a living owner of another user who is hidden (hidepid=%s)', async (hidePid) => {
    chmodSync(directory, 0o777)
    const owner = spawn('sleep', ['600'], { stdio: 'ignore' })
    try {
      expect(
        await run(`process_identity ${owner.pid} && ln -s "$identity" link && ln -s "$identity" link.after.x`),
      ).toBe(0)
      const refused = 'claim link "$self"; [ $? = 1 ] && ! take_away link x "$self" && is_claimed link && [ -L link ]'
      expect(await runAsOther(hidePid, refused)).toBe(0)
      // To end a process, one has to be certain.
      expect(await runAsOther(hidePid, 'is_alive "$(readlink link)"; [ $? != 0 ]')).toBe(0)
    } finally {
      owner.kill('SIGKILL')
      await once(owner, 'exit')
    }
    expect(
      await runAsOther(hidePid, '! is_claimed link && claim link "$self" && [ "$(readlink link)" = "$self" ]'),
    ).toBe(0)
  })

  test('stay with a living owner if no file can be opened', async () => {
    expect(
      await run('ln -s "$self" link; (ulimit -n 4; is_dead "$self") 2>/dev/null; [ $? != 0 ] && is_claimed link'),
    ).toBe(0)
  })

  test('stay with a living owner if the boot is unknown', async () => {
    expect(await run('ln -s "${self%:*}:unknown" link && is_claimed link')).toBe(0)
    expect(await run('rm link; ln -s "$self" link; boot=unknown; is_claimed link')).toBe(0)
  })

  test.each(['', 'x', '-1:1:x', '0x1:1', '1 2'])('are taken over from an impossible owner (%j)', async (text) => {
    writeFileSync(join(directory, 'text'), text)
    expect(await run('is_dead "$(cat text):$boot" && is_dead "$(cat text)"')).toBe(0)
  })

  test('cannot be made if nothing can be written', async () => {
    expect(await run('claim missing/link "$self"; [ $? = 2 ] && ! claim_in_turn missing/link "$self"')).toBe(0)
  })
})
