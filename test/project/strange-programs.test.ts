import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { NIX_POSSIBLE } from '../harness/language.ts'

describe('a document of somebody else', () => {
  let user: Coordinator
  const path = (name: string) => join(user.directory, name)
  const write = (name: string, content: string | object) =>
    writeFileSync(path(name), typeof content === 'string' ? content : JSON.stringify(content))

  beforeAll(async () => {
    // A program that is trusted has its profile built by the coordinator, with Nix.
    user = await coordinator({ nix: NIX_POSSIBLE })
    mkdirSync(path('p'))
    write('p/x', 'x')
    write('evil', `#!/bin/sh\necho ran >>'${path('ran')}'\nexit 1\n`)
    chmodSync(path('evil'), 0o755)
    write('s.yaml', { a: { type: 'process', deployState: true, pkg: { source: './p' } } })
    const target = { clientInterface: 'local', properties: { hostname: 'localhost' }, containers: { process: {} } }
    write('i.yaml', { h: target })
    write('evil.yaml', { h: { ...target, clientInterface: path('evil') } })
    write('d.yaml', { a: ['h'] })
    succeeded(await user.run(['davit-env', '-s', 's.yaml', '-i', 'i.yaml', '-d', 'd.yaml', '--no-lock', '--dry-run']))
    const made = await user.bash('davit-normalize -s s.yaml -i i.yaml -d d.yaml | davit-manifest --format json >m.json')
    succeeded(made)
    write('evil.json', readFileSync(path('m.json'), 'utf8').replace('"local"', JSON.stringify(path('evil'))))
  })
  afterAll(() => user?.remove())
  beforeEach(() => rmSync(path('ran'), { force: true }))

  const MODELS = '-s s.yaml -i evil.yaml -d d.yaml'
  test.each([
    'davit-query evil.json',
    'davit-query --status evil.yaml',
    'davit-query - <evil.json',
    'davit-plan evil.json',
    `davit-plan ${MODELS}`,
    `davit-plan --build-on-targets ${MODELS}`,
    'davit-activate --dry-run evil.json',
    'davit-activate --check evil.json',
    'davit-activate --dry-run --abandon a evil.json',
    `davit-env --dry-run ${MODELS}`,
    `davit-env --dry-run --build-on-targets ${MODELS}`,
    'davit-env --dry-run -D evil.json',
    'davit-env --dry-run --undeploy -i evil.yaml',
    'davit-plan --undeploy -i evil.yaml',
    'davit-logs -i evil.json a',
    'davit-logs --follow -i evil.json a',
    'davit-diagnose -i evil.json -S a --show-mappings',
    'davit-doctor evil.json',
    'davit-lock --status evil.json',
    'davit-reconstruct evil.yaml',
    'davit-adopt --dry-run evil.yaml',
    'davit-collect-garbage --dry-run evil.json',
    'davit-snapshots evil.json',
    'davit-clean-snapshots --dry-run --keep 1 evil.json',
    'davit-snapshot --dry-run evil.json',
    'davit-restore --dry-run evil.json',
    'davit-migrate --dry-run --no-upgrade -o m.json evil.json',
    'davit-delete-state --dry-run evil.json',
  ])('starts no program through %s', async (command) => {
    const { status, stderr } = await user.bash(command)
    expect([existsSync(path('ran')), status]).toEqual([false, 77])
    expect(stderr).toContain(
      `'h' is reached by the program '${path('evil')}', which the current generation does not use`,
    )
    expect(stderr).toContain('--trust-programs')
  })

  test.each(['davit-query --trust-programs evil.json', 'DAVIT_TRUST_PROGRAMS=1 davit-plan evil.json'])(
    'starts it through %s',
    async (command) => {
      await user.bash(command)
      expect(readFileSync(path('ran'), 'utf8')).toContain('ran')
    },
  )
})
