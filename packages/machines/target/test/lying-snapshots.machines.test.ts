import { describe, expect, test } from 'vitest'

import { listComponents } from '../src/snapshots/snapshot-store.ts'
import { cleanSnapshots, listSnapshots, openMachine } from '../src/target.ts'
import { connectionTo, type FarEnd, lying } from './far-end.ts'

const storeSaying = (...lines: readonly string[]) => storeThat(() => lines)

async function storeThat(says: (request: string) => readonly string[]) {
  const answer = (line: string, far: FarEnd) => lying(...says(line).map((one) => `ID + ${one}`), 'ID =')(line, far)
  const machine = await openMachine(async () => connectionTo({ answer }), { role: 'state' })
  return { machine, place: 'targets/t1' }
}

const NAME = 'f'.repeat(64)
const REFUSED = { code: 'bad-answer', exitStatus: 69 }

describe('what a machine tells about snapshots', () => {
  test.each([
    'generation ../.. web 1 name -',
    'generation process ../../etc 1 name -',
    `generation process web 1 ../${NAME} -`,
    'generation process web 1 -x -',
    'generation process web 1 a/b -',
    'generation process \u001b[2J 1 name -',
    `generation process ${'x'.repeat(300)} 1 name -`,
    'generation process web -1 name -',
    'generation process web 1e9 name -',
    `generation process web ${'9'.repeat(40)} name -`,
    'generation process web 1 name 99999999999999',
    'generation process web 1 name',
    'fact taken 2026-11-23T00:00:00Z',
    'anything else',
    '',
  ])('is refused if it is %j', async (line) => {
    await expect(listSnapshots(await storeSaying(line))).rejects.toMatchObject(REFUSED)
  })

  test.each(['component ../.. web', 'component process -x', 'component process \u001b[2J', 'component process'])(
    'is refused if it is a component %j',
    async (line) => {
      await expect(listComponents(await storeSaying(line))).rejects.toMatchObject(REFUSED)
    },
  )

  test.each([
    ['taken', 'yesterday'],
    ['taken', '2026-11-23T00:00:00Z\\0033[2J'],
    ['bytes', '-1'],
    ['bytes', '1e400'],
    ['bytes', 'NaN'],
    ['name', '\\0033[2J'],
    ['pkg', '/store/x\\0012y'],
    ['target', 'x'.repeat(2000)],
    ['constructor', 'x'],
    ['__proto__', 'x'],
  ])('is left out if it is no %s', async (field, word) => {
    const lines = [`generation process web 7 ${NAME} 1700000000`, `fact ${field} ${word}`]
    const since = new Date(1_700_000_000_000)
    expect(await listSnapshots(await storeSaying(...lines))).toEqual([
      { container: 'process', component: 'web', generation: 7, name: NAME, since, facts: {} },
    ])
  })

  test.each([
    ['verified', 'now', 'loaded', 't1'],
    ['verified', '2026-11-23T00:00:00Z\\0033[2J', 'loaded', 't1'],
    ['verified-how', '2026-11-23T00:00:00Z', 'certainly', 't1'],
    ['verified-how', '2026-11-23T00:00:00Z', 'loaded\\0012failed', 't1'],
    ['verified-on', '2026-11-23T00:00:00Z', 'loaded', '\\0033[2J'],
    ['verified-on', '2026-11-23T00:00:00Z', 'loaded', 'x'.repeat(300)],
    ['verified-on', '2026-11-23T00:00:00Z', 'loaded', undefined],
  ])('is left out of a verification as a whole if it is no %s', async (_, at, how, on) => {
    const facts = [
      `fact verified ${at}`,
      `fact verified-how ${how}`,
      ...(on === undefined ? [] : [`fact verified-on ${on}`]),
    ]
    const [one] = await listSnapshots(await storeSaying(`generation process web 7 ${NAME} -`, ...facts))
    expect(one?.facts).toEqual({})
  })

  test('is known of a verification', async () => {
    const facts = ['fact verified 2026-11-23T00:00:00Z', 'fact verified-how failed', 'fact verified-on t1']
    const [one] = await listSnapshots(await storeSaying(`generation process web 7 ${NAME} -`, ...facts))
    expect(one?.facts).toEqual({ verified: '2026-11-23T00:00:00Z', verifiedHow: 'failed', verifiedOn: 't1' })
  })

  test.each([
    'removed',
    'removed x',
    'removed -1',
    'freed 1',
    'freed 1 NaN',
    'freed 1 1e9',
    'freed 1 \u001b',
    'gone 1',
  ])('is refused if it has cleaned %j', async (line) => {
    const store = await storeThat((words) => (words.includes(' snapshot_components') ? ['component c d'] : [line]))
    await expect(cleanSnapshots(store, () => true, { keep: 1, mode: 'dry-run' })).rejects.toMatchObject(REFUSED)
  })

  test('is added up if it has cleaned in parts', async () => {
    const parts = ['removed 500', 'removed 3', 'freed 2 10', 'removed 1', 'freed 1 5']
    const store = await storeThat((words) => (words.includes(' snapshot_components') ? ['component c d'] : parts))
    expect(await cleanSnapshots(store, () => true, { keep: 1, mode: 'remove' })).toEqual([
      { container: 'c', component: 'd', generations: 504, bytes: 15 },
    ])
  })

  test('has no lines that are too long together', async () => {
    const connection = connectionTo({
      answer(line, far) {
        const [id = ''] = line.split(' ')
        if (line.startsWith('davit-') || line.includes(' hello')) return lying()(line, far)
        for (let lines = 0; lines < 5; lines += 1) far.print(`${id} + ${'x'.repeat(14_000_000)}\n`)
        far.print(`${id} =\n`)
      },
    })
    const machine = await openMachine(async () => connection, { role: 'state' })
    await expect(machine.request('snapshots', ['targets/t1'])).rejects.toMatchObject({
      ...REFUSED,
      message: "'far' sent an answer of more than 200000 lines, or 64 MB",
    })
  })

  test('is no list without end', async () => {
    const connection = connectionTo({
      answer(line, far) {
        const [id = ''] = line.split(' ')
        if (line.startsWith('davit-') || line.includes(' hello')) lying()(line, far)
        else far.print(`${id} + generation process web 1 ${NAME} -\n`.repeat(200_001))
      },
    })
    const machine = await openMachine(async () => connection, { role: 'state' })
    await expect(listSnapshots({ machine, place: 'targets/t1' })).rejects.toMatchObject({
      ...REFUSED,
      message: "'far' sent an answer of more than 200000 lines, or 64 MB",
      hint: expect.stringContaining('davit-clean-snapshots'),
    })
  })
})
