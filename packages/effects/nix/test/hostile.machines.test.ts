import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { StorePath } from '@davit/documents'
import { failureOf } from '@davit/diagnostics/testing'
import { patience, runs, tellFigure } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import { scratchDirectory } from '@davit/testing/scratch'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { parseDerivation } from '../src/derivation.ts'
import { evaluate } from '../src/evaluate.ts'
import { evaluationError } from '../src/evaluation-error.ts'
import { parseLog } from '../src/evaluation-log.ts'
import { openBuildEvents, openServe, type ServeClient } from '../src/nix.ts'
import { encodeRequest, type RequestPart } from '../src/serve-wire.ts'

const WEB = `/nix/store/${'1'.repeat(32)}-web` as StorePath
const LIB = `/nix/store/${'2'.repeat(32)}-lib` as StorePath
const WEB_DRV = `${WEB}.drv` as StorePath

let inputs = 0
afterAll(() => tellFigure(`what Nix says: ${inputs} inputs, each read or refused`))

/** Expects that each text is read, or refused with an error of davit. */
function readsAny(texts: readonly string[], read: (text: string) => unknown): void {
  fc.assert(
    fc.property(fc.oneof({ weight: 3, arbitrary: mutationsOf(texts) }, awkwardText), (text) => {
      inputs += 1
      failureOf(() => read(text))
    }),
    runs(400),
  )
}

const DERIVATION =
  `Derive([("doc","${WEB}-doc","",""),("out","${WEB}","","")],[("${LIB}.drv",["out","doc"])],["${LIB}"],` +
  String.raw`"x86_64-linux","/bin/sh",["-c","echo \"\\ \n"],[("name","web"),("text","\t(),[]")])`

describe('derivations', patience, () => {
  test('any text', () => {
    readsAny([DERIVATION], (text) => {
      const { outputs, inputDerivations, inputSources } = parseDerivation(WEB_DRV, text)
      const paths = [...outputs.values(), ...inputDerivations.keys(), ...inputSources]
      for (const path of paths) expect(path).toMatch(/^\/[^\0\n]*\/[0-9a-z]{32}-/)
    })
  })

  test.each([
    ['deep', `Derive(${'['.repeat(1_000_000)}`],
    ['deep and closed', `Derive(${'['.repeat(200_000)}${']'.repeat(200_000)})`],
    ['an endless text', `Derive([],[],[],"${'\\n'.repeat(5_000_000)}`],
    ['many quotes', `Derive(${'"'.repeat(1_000_001)}`],
  ])('%s', (_, text) => {
    expect(failureOf(() => parseDerivation(WEB_DRV, text))).toMatchObject({ code: 'bad-nix-answer' })
  })

  test('a variable may have megabytes', () => {
    const text = DERIVATION.replace('"web"', `"${String.raw`x\n`.repeat(4_000_000)}"`)
    expect(parseDerivation(WEB_DRV, text).inputSources).toEqual([LIB])
  })
})

const entry = (fields: object): string => `@nix ${JSON.stringify(fields)}`
const frame = { raw_msg: 'while evaluating', file: '/models/services.nix', line: 2, column: 3 }
const EVALUATION = [
  entry({ action: 'start', id: 1, level: 4, parent: 0, text: '', type: 0 }),
  entry({ action: 'msg', level: 0, msg: 'trace: typing' }),
  entry({ action: 'msg', level: 1, msg: 'warning: old' }),
  entry({
    action: 'msg',
    level: 0,
    msg: 'error: no',
    raw_msg: 'no',
    file: null,
    line: null,
    column: null,
    trace: [frame],
  }),
  entry({
    action: 'msg',
    level: 0,
    raw_msg: `@davit-problems ${JSON.stringify([{ ...frame, message: 'bad', path: ['a', 1] }])}`,
  }),
  'error: stack overflow',
].join('\n')

const program = { file: '/davit/model.nix', input: {}, expressions: new Map(), showTrace: true } as never

/** Other input that must not break a log: valid JSON that is not a message, values of other kinds than those of Nix. */
const VALUES = [null, true, 1.5, 'x', [], {}, [[]], { a: null }]
const NAMES = ['action', 'level', 'msg', 'raw_msg', 'id', 'type', 'fields', 'text', 'trace', 'file', 'line', 'column']
const strangeEntry = fc
  .tuple(
    fc.constantFrom('msg', 'start', 'stop', 'result', undefined),
    fc.constantFrom(0, 1, 101, 105, 108, 111),
    fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.oneof(fc.constantFrom(...VALUES), fc.constant(WEB_DRV))), {
      maxLength: 6,
    }),
  )
  .map(([action, number, fields]) =>
    entry({ action, level: number, type: number, id: 1, ...Object.fromEntries(fields) }),
  )
const strangeLog = fc
  .array(
    fc.oneof(
      strangeEntry,
      fc.constantFrom(...VALUES).map((value) => `@nix ${JSON.stringify(value)}`),
    ),
    { maxLength: 6 },
  )
  .map((lines) => lines.join('\n'))

function takesAnyLog(log: string, read: (text: string) => unknown): void {
  const text = fc.oneof(
    mutationsOf([log]),
    awkwardText.map((line) => `@nix ${line}`),
    strangeLog,
  )
  fc.assert(
    fc.property(text, (stderr) => {
      inputs += 1
      read(stderr)
    }),
    runs(500),
  )
}

describe('logs', patience, () => {
  test('an evaluation fails with an error of davit, whatever it printed', () => {
    takesAnyLog(EVALUATION, (stderr) => {
      const error = evaluationError(parseLog(stderr), { program, exitCode: 1 })
      expect(error.code).toBe('invalid-model')
      expect(error.diagnostics.length).toBeGreaterThan(0)
      for (const { message } of error.diagnostics) expect(typeof message).toBe('string')
    })
  })

  const BUILD = [
    entry({ action: 'start', id: 1, type: 105, fields: [WEB_DRV, '', 1, 1] }),
    entry({ action: 'start', id: 2, type: 108, fields: [LIB, 'https://cache.example'] }),
    entry({ action: 'result', id: 1, type: 101, fields: ['building'] }),
    entry({ action: 'start', id: 3, type: 111, text: 'waiting', fields: [] }),
    entry({ action: 'stop', id: 2 }),
    entry({ action: 'msg', level: 1, msg: 'warning: low on space' }),
    entry({ action: 'msg', level: 0, raw_msg: `builder for '${WEB_DRV}' failed with exit code 1` }),
    'Killed',
  ].join('\n')

  test('builds are followed, whatever is printed', () => {
    takesAnyLog(BUILD, (stderr) => {
      const events = openBuildEvents((event) => {
        const texts = Object.values(event)
        expect(texts.filter((value) => typeof value !== 'string')).toEqual([])
      })
      for (const line of stderr.split('\n')) events.take(line)
      const { failures, problems, others } = events.end()
      expect(
        [...failures.map(({ reason }) => reason), ...problems, ...others].every((text) => typeof text === 'string'),
      ).toBe(true)
    })
  })
})

const ANSWERS: readonly (readonly [string, readonly RequestPart[], (client: ServeClient) => Promise<unknown>])[] = [
  ['validPaths()', [[WEB]], (client) => client.validPaths([WEB, LIB])],
  ['closure()', [[LIB, WEB]], (client) => client.closure([WEB])],
  [
    'pathInfos()',
    [WEB, WEB_DRV, [LIB], 0, 8, `sha256:${'0'.repeat(52)}`, '', ['key:signature'], ''],
    (client) => client.pathInfos([WEB]),
  ],
  ['dump()', [new Uint8Array(16)], (client) => buffer(client.dump({ path: WEB, narSize: 16 }))],
]
const GREETING: readonly RequestPart[] = [0x54_52_ee_cb, 0x2_07]

describe('answers of a store', patience, () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc
      .constantFrom(0, 1, 2, 255, 4096, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER)
      .map((number) => encodeRequest([number])),
    awkwardText.map((text) => encodeRequest([text])),
  )
  const change = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(24), bytes)

  test.each(ANSWERS)('%s', async (_, answer, ask) => {
    const honest = encodeRequest([...GREETING, ...answer])
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 3 }), async (changes) => {
        inputs += 1
        const said = changes.reduce((text: Uint8Array, [where, length, inserted]) => {
          const at = Math.floor(where * text.length)
          return Buffer.concat([text.subarray(0, at), inserted, text.subarray(at + length)])
        }, honest)
        const stdin = new PassThrough().resume()
        const stdout = new PassThrough()
        stdout.end(said)
        const failure = await openServe({ stdin, stdout })
          .then(ask)
          .then(
            () => undefined,
            (error: unknown) => error,
          )
        failureOf(() => {
          if (failure !== undefined) throw failure
        })
      }),
      runs(100),
    )
  })
})

test.each([
  ['nothing', ''],
  ['words', 'error'],
  ['half of it', '{"value":'],
])('an evaluation that succeeds but prints %s has failed', async (_, said) => {
  const directory = scratchDirectory()
  writeFileSync(join(directory, 'nix-instantiate'), `#!/bin/sh\nprintf '%s' '${said}'\n`, { mode: 0o755 })
  const evaluation = evaluate({
    program,
    store: 'read-only',
    environment: { PATH: `${directory}:/usr/bin:/bin` },
  })
  await expect(evaluation).rejects.toMatchObject({
    code: 'bad-nix-answer',
    message: expect.stringMatching(/^Nix did not answer with JSON: .{5,200}$/),
  })
})
