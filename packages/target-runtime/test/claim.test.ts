import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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
  const run = (script: string) =>
    new Promise<number | null>((resolve) => {
      const child = spawn(
        program,
        [...options, '-c', `${PARTS}\ncd '${directory}'\nprocess_identity $$\nself=$identity\n${script}`],
        { stdio: 'inherit' },
      )
      child.on('exit', resolve)
    })

  test('let one in at a time, also past what a dead owner left', async () => {
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
    expect(await run('ln -s "$$:1:$(boot_id)" link && claim link "$self" && [ "$(readlink link)" = "$self" ]')).toBe(0)
    expect(await run('rm link; ln -s "${self%:*}:another-boot" link && claim link "$self"')).toBe(0)
  })

  test('cannot be made where nothing can be written', async () => {
    expect(await run('claim missing/link "$self"; [ $? = 2 ] && ! claim_in_turn missing/link "$self"')).toBe(0)
  })
})
