import type { OriginalDeployment } from '@davit/target'
import { describe, expect, test } from 'vitest'

import { adoptTargets } from '../src/adoption.ts'
import {
  type Answers,
  machines,
  manifest,
  original,
  originalLine,
  PROFILE,
  record,
  reports,
  tableTarget,
} from './scene.ts'

const ALL = manifest('web process t1', 'api wrapper t1')

interface Adopting {
  /** What is there when the lock is held, if that is not what was read before. */
  readonly now?: OriginalDeployment | undefined
  readonly records?: readonly string[]
  readonly answers?: Answers
  readonly mode?: 'adopt' | 'dry-run'
  readonly replace?: boolean
  /** Request during which the run is interrupted. */
  readonly interruptedAt?: string
}

async function adopted({
  records = [],
  answers = {},
  mode = 'adopt',
  replace = false,
  interruptedAt,
  ...terms
}: Adopting = {}) {
  const now = 'now' in terms ? terms.now : original()
  const { said, report } = reports()
  const interruption = new AbortController()
  const interrupted = (operation: string, lines: readonly string[]) => () => {
    if (operation === interruptedAt) interruption.abort(new Error('interrupted'))
    return lines
  }
  const table: Answers = {
    observe: ['boot 1', ...records, ...(now === undefined ? [] : [originalLine(now)])],
    set_profile: interrupted('set_profile', ['generation 1']),
    adopt_record: interrupted('adopt_record', ['adopted']),
    adopt_state: interrupted('adopt_state', []),
    ...answers,
  }
  const { target, asked } = tableTarget('t1', table)
  const other = tableTarget('t2')
  const adoption = { manifest: ALL, originals: new Map([[target.name, original()]]) }
  const { signal } = interruption
  const options = { profile: PROFILE, token: '-', machines, mode, replace, report, signal }
  const result = await adoptTargets(adoption, [target, other.target], options).catch((error: unknown) => error as Error)
  return { result, asked, said, untouched: other.asked }
}

describe('adoptTargets()', () => {
  test('sets the profile first, then makes the records, and notes last that all was adopted', async () => {
    const { result, asked, untouched } = await adopted()
    expect(asked).toEqual([
      'observe',
      'set_profile',
      'adopt_record key-web',
      'adopt_record key-api',
      'adopt_state',
      'note_original',
    ])
    expect(result).toMatchObject([
      {
        target: 't1',
        original: original().path,
        services: [
          { name: 'web', state: 'adopted' },
          { name: 'api', state: 'adopted' },
        ],
        snapshots: [],
      },
    ])
    expect(untouched).toEqual([])
  })

  test('says which records were there before', async () => {
    const answers: Answers = { adopt_record: ([, , , , service]) => [service === 'key-web' ? 'present' : 'adopted'] }
    expect((await adopted({ answers })).result).toMatchObject([
      { services: [{ state: 'present' }, { state: 'adopted' }] },
    ])
  })

  test('writes nothing in a dry run, which returns the same', async () => {
    const { result, asked } = await adopted({ mode: 'dry-run' })
    expect(asked).toEqual(['observe', 'adopt_state'])
    expect(result).toEqual((await adopted()).result)
  })

  test.each([
    ['set_profile', ['observe', 'set_profile']],
    ['adopt_record', ['observe', 'set_profile', 'adopt_record key-web', 'adopt_record key-api']],
    ['adopt_state', ['observe', 'set_profile', 'adopt_record key-web', 'adopt_record key-api', 'adopt_state']],
  ])('does not note that all was adopted after an interruption of %s', async (interruptedAt, requests) => {
    const { result, asked } = await adopted({ interruptedAt })
    expect([result, asked]).toEqual([new Error('interrupted'), requests])
  })

  test.each([
    ['has changed it', original({ version: '2' })],
    ['has removed it, or somebody has adopted it', undefined],
  ])('writes nothing if Disnix %s meanwhile', async (_, now) => {
    const { result, asked } = await adopted({ now })
    expect(result).toMatchObject({
      code: 'original-changed',
      message: "what Disnix has deployed on 't1' has changed meanwhile, or was adopted by somebody else",
    })
    expect(asked).toEqual(['observe'])
  })

  test('writes nothing while Disnix has its lock', async () => {
    const { result, asked } = await adopted({ now: original({ lock: '/tmp/disnix-default.lock' }) })
    expect(result).toMatchObject({
      code: 'original-locked',
      exitStatus: 75,
      diagnostics: [{ message: "target 't1': the lock '/tmp/disnix-default.lock' is there" }],
    })
    expect(asked).toEqual(['observe'])
  })

  test('asks for marks only of types whose modules make them, and names what is not marked', async () => {
    const asked: string[] = []
    const adopt_state = (fields: readonly string[]) => {
      asked.push(...fields)
      return ['unmarked process web']
    }
    const { said } = await adopted({ answers: { adopt_state } })
    expect([asked.includes('web'), asked.includes('api')]).toEqual([true, false])
    expect(said).toEqual([
      'warning: [t1] process/web: in the profile of Disnix, but Dysnomia has not marked it as active',
    ])
  })

  test('puts aside what is not of the deployment, or damaged, if the deployment of Disnix is to count', async () => {
    const stranger = manifest('old process t1')
    const records = [
      ...record(stranger, 'old'),
      ...record(ALL, 'web', 'deactivating'),
      ...record(ALL, 'api'),
      'mapping t1 active ended process:key-broken',
      'field format 1',
    ]
    const answers: Answers = {
      abandon: ([, , , container, key]) => [`kept ${Buffer.from(`/aside/${container}:${key}`).toString('hex')}`],
    }
    const { asked, said, result } = await adopted({ records, answers, replace: true })
    expect(result).not.toBeInstanceOf(Error)
    expect(asked.filter((one) => one === 'abandon')).toHaveLength(3)
    expect(asked.indexOf('set_profile')).toBeLessThan(asked.indexOf('abandon'))
    expect(said).toEqual([
      "note: [t1] put aside what davit knew of 'old': its record is now '/aside/process:key-old'",
      "note: [t1] put aside what davit knew of 'web': its record is now '/aside/process:key-web'",
      "note: [t1] put aside what davit knew of 'key-broken': its record is now '/aside/process:key-broken'",
    ])
    expect((await adopted({ records })).asked).not.toContain('abandon')
  })
})
