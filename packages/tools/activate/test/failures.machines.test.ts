import { isThorough } from '@davit/testing/effort'
import { until } from '@davit/testing/wait'
import { describe, expect, test } from 'vitest'

import { Diamond, type Fault, type Faults, reportOf } from './diamond.ts'

const OLD = ['a-1', 'b-1', 'c-1', 'd-1']
const NEW = ['a-2', 'b-2', 'c-2', 'd-2']

/** Checks that the report contains each fault with its log, and nothing else; logs are bounded. */
function expectReport(report: string, faults: Faults): void {
  const lines = report.split('\n')
  const expected = Object.entries(faults).map(([name, fault]: [string, Fault]) => reportOf(name, fault))
  expect(lines.filter((line) => line.startsWith('cannot ')).toSorted()).toEqual(
    expected.map(({ message }) => message).toSorted(),
  )
  for (const { log } of expected) expect(lines).toContain(log)
  expect(report.length).toBeLessThan(expected.length * 20_000)
}

const expectNothingLeft = (diamond: Diamond) => until(() => expect(diamond.leftovers()).toEqual([]))

type Row = readonly [Faults]

/** Each kind of failure occurs at each position of the diamond in some phase; the first rows cover each kind and each outcome. */
const some = <Case>(count: number, cases: readonly Case[]) => (isThorough ? cases : cases.slice(0, count))

describe.concurrent('a first installation leaves nothing', () => {
  const rows: readonly Row[] = [
    [{ 'activate b-1': 'crashes', 'activate c-1': 'hangs' }],
    [{ 'activate a-1': 'fails' }],
    [{ 'activate b-1': 'hangs' }],
    [{ 'activate c-1': 'floods' }],
    [{ 'activate d-1': 'crashes' }],
  ]

  test.for(some(2, rows))('where %o', async ([faults], { onTestFinished }) => {
    const diamond = new Diamond()
    onTestFinished(() => diamond.close())
    const { status, report } = await diamond.activate(1, faults)
    expect([status, diamond.up(), diamond.records()]).toEqual([1, [], []])
    expectReport(report, faults)
    await expectNothingLeft(diamond)
  })
})

describe.concurrent('an upgrade', () => {
  const undone: readonly (readonly Faults[])[] = [
    [
      { 'deactivate b-1': 'hangs', 'deactivate c-1': 'floods' },
      { 'activate b-2': 'fails', 'activate c-2': 'crashes' },
    ],
    [{ 'deactivate d-1': 'hangs' }, { 'activate d-2': 'fails' }],
    [{ 'deactivate a-1': 'floods' }, { 'deactivate b-1': 'crashes' }, { 'activate a-2': 'hangs' }],
    [{ 'deactivate c-1': 'fails' }, { 'activate b-2': 'floods' }, { 'activate c-2': 'crashes' }],
  ]

  test.for(some(2, undone))('is undone whatever fails: %o %o %o', async (rounds, { onTestFinished }) => {
    const diamond = new Diamond()
    onTestFinished(() => diamond.close())
    await diamond.activate(1)
    const before = diamond.files()
    for (const faults of rounds) {
      const { status, report } = await diamond.activate(2, faults)
      expect([status, diamond.up(), diamond.records()]).toEqual([1, OLD, OLD])
      expectReport(report, faults)
      await expectNothingLeft(diamond)
      expect(diamond.files()).toEqual(before)
    }
  })

  const lasting: readonly (readonly [Faults, number, readonly string[], readonly string[]])[] = [
    [{ 'activate c-2': 'crashes', 'activate b-1': 'hangs' }, 2, ['a-1', 'b-1', 'c-1'], ['a-1', 'b-1', 'c-1']],
    [{ 'activate a-2': 'drowns', 'activate d-1': 'floods' }, 2, OLD, OLD],
    [{ 'activate d-2': 'floods', 'deactivate b-2': 'fails' }, 3, ['a-2', 'b-2'], ['a-2', 'b-2']],
    [{ 'activate d-2': 'fails', 'activate a-1': 'crashes' }, 2, ['a-1'], ['a-1']],
    [{ 'activate b-2': 'floods', 'activate c-1': 'fails' }, 2, ['a-1', 'b-1', 'c-1'], ['a-1', 'b-1', 'c-1']],
    [{ 'activate d-2': 'crashes', 'deactivate a-2': 'floods' }, 3, ['a-2'], ['a-2']],
    [{ 'activate d-2': 'hangs', 'deactivate c-2': 'crashes' }, 3, ['a-2', 'c-2'], ['a-2', 'c-2']],
    [{ 'activate d-2': 'fails', 'deactivate d-2': 'drowns' }, 3, NEW, NEW],
  ]

  test.for(some(3, lasting))(
    'that cannot be undone, either, says so, and the next run goes on: %o ends with %i',
    async (row, context) => {
      const [faults, expected, up, records] = row
      const diamond = new Diamond()
      context.onTestFinished(() => diamond.close())
      await diamond.activate(1)
      const { status, report } = await diamond.activate(2, faults)
      expect([status, diamond.up(), diamond.records()]).toEqual([expected, up, records])
      expectReport(report, faults)
      await expectNothingLeft(diamond)
      expect(await diamond.activate(2)).toEqual({ status: 0, report: '' })
      expect([diamond.up(), diamond.records()]).toEqual([NEW, NEW])
    },
  )
})
