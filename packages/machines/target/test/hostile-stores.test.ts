import type { StorePath } from '@davit/documents'
import { CANDIDATES } from '@davit/isolation'
import { storeLayout } from '@davit/store'
import { failureOf } from '@davit/diagnostics/testing'
import { patience, runs, tellFigure } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { endOf, machineOf } from '../src/native/build-protocol.ts'
import { parseSurvey } from '../src/native/survey.ts'

let inputs = 0
const NUMBERS = ['0', '-5', '0.5', '1e9', '1e999', '99999', '0x10', 'NaN', '', ' ', '9'.repeat(400)]
const number = fc.constantFrom(...NUMBERS)
afterAll(() => tellFigure(`stores of targets: ${inputs} answers, each read or refused`))

const layout = storeLayout('/store')
const NAME = `${'0'.repeat(32)}-web`
const far = { address: 'far' } as never

const SURVEY = [
  'sum 4038471504',
  `kept ${NAME} profile:t1:default/1-link`,
  String.raw`kept \0057store\0057${NAME} root`,
  `valid {"document":"registration","version":1,"path":"/store/${NAME}","contentHash":"sha256:${'0'.repeat(64)}","size":1,"references":[]}`,
  `rubbish ${NAME} 12`,
].join('\n')

const FACTS = ['isolation 0 /usr/bin/bwrap', 'visible /usr', 'visible /lib usr/lib', 'processors 4'].join('\n')

describe('fuzzing', patience, () => {
  test('parseSurvey(): names nothing outside the store', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          mutationsOf([SURVEY]),
          awkwardText.map((text) => `sum 1\n${text}`),
          number.map((text) => `sum 1\nrubbish ${NAME} ${text}`),
        ),
        (text) => {
          inputs += 1
          const error = failureOf(() => {
            const { roots, valid, rubbish } = parseSurvey(text.split('\n'), layout, far)
            for (const { path } of [...roots, ...valid, ...rubbish])
              expect(path).toMatch(/^\/store\/[0-9a-z]{32}-[\w.+?=-]+$/)
            for (const { bytes } of rubbish) expect(Number.isSafeInteger(bytes) && bytes >= 0).toBe(true)
          })
          expect([undefined, 'bad-answer 69']).toContain(error && `${error.code} ${error.exitStatus}`)
        },
      ),
      runs(500),
    )
  })

  test('machineOf(): returns only possible facts', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          mutationsOf([FACTS]),
          number.map((text) => `processors ${text}`),
          awkwardText,
        ),
        (text) => {
          inputs += 1
          const { processors, visible } = machineOf(text.split('\n'), { layout, paths: [] })
          expect(Number.isInteger(processors) && processors >= 1 && processors <= 4096).toBe(true)
          expect(
            visible.every(({ path, link = 'usr/lib' }) => CANDIDATES.includes(path) && /^\/?usr\//.test(link)),
          ).toBe(true)
        },
      ),
      runs(300),
    )
  })

  test('endOf(): returns a short line and a valid status', () => {
    const words = fc.oneof(
      mutationsOf(['built', 'status 1 6e6f', 'missing 6e6f', 'unusual 6e6f', 'error 6e6f']),
      awkwardText,
      number.map((text) => `status ${text} 6e6f`),
    )
    fc.assert(
      fc.property(words, (text) => {
        inputs += 1
        const end = endOf(text.split(' '), Buffer.alloc(0))
        if (end.kind === 'built') return
        expect(end.message.length).toBeLessThanOrEqual(1000)
        // oxlint-disable-next-line no-control-regex
        expect(end.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
        expect(Number.isInteger(end.kind === 'status' ? end.status : 0)).toBe(true)
      }),
      runs(300),
    )
  })
})

test('a path of another store is ignored', () => {
  const lines = ['sum 1', `valid {"path":"/other/${NAME}"}`, `kept ../../${NAME}`, `rubbish ../${NAME} 1`]
  const survey = parseSurvey(lines, layout, far)
  expect(survey).toMatchObject({ sum: '1', roots: [], valid: [], rubbish: [] } satisfies Record<
    string,
    string | StorePath[]
  >)
})
