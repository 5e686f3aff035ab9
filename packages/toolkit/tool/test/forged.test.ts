import { asDetail, DavitError, messages, type ReportEvent, warning } from '@davit/diagnostics'
import { FORGERIES, forgeriesIn } from '@davit/testing/hostile'
import { describe, expect, test } from 'vitest'

import { renderBusy } from '../src/render-busy.ts'
import { renderError } from '../src/render-error.ts'
import { renderEvent, renderEventJson } from '../src/render-event.ts'
import { renderTable } from '../src/render-table.ts'

const say = messages({
  odd: warning(
    { target: 'prefix', name: 'text', names: 'texts', hint: 'hint' },
    ({ name, names }) => `${name}: ${names.join(', ')}`,
  ),
})

function eventsWith(text: string): readonly ReportEvent[] {
  const step = { id: '1', target: text, step: `activating ${text}` }
  const said = say('odd', { target: text, name: text, names: [text, text], hint: text })
  return [{ ...step, kind: 'started' }, { ...step, kind: 'finished' }, said, asDetail(said)]
}

describe.each(FORGERIES)('%j', (text) => {
  test('makes no line in what is reported', () => {
    const shown = (one: string) =>
      eventsWith(one)
        .map((event) => renderEvent(event, { verbosity: 'verbose' }))
        .join('\n')
    expect(forgeriesIn(shown(text), shown('plain'))).toEqual([])
    for (const event of eventsWith(text)) {
      const line = renderEventJson(event, { verbosity: 'verbose', time: 'now', tool: 'davit' }) ?? ''
      expect([forgeriesIn(line, 'x'), JSON.parse(line)]).toEqual([[], expect.anything()])
    }
  })

  test('makes no line in a table, nor among busy steps', () => {
    expect(
      forgeriesIn(
        renderTable([
          ['A', 'B'],
          [text, text],
        ]),
        'a\nb\n',
      ),
    ).toEqual([])
    const busy = renderBusy([{ target: text, step: text, since: 0 }], { columns: 200, rows: 24, now: 5 })
    expect(forgeriesIn(busy.join('\n'), 'x')).toEqual([])
  })

  test('makes no line of an error or a failure that could be one of davit', () => {
    const error = new DavitError('cannot-read', `cannot read '${text}'`, {
      hint: text,
      cause: new Error(text),
      diagnostics: [{ severity: 'error', message: text, place: { file: text } }],
    })
    const failed = renderEvent(
      { kind: 'failed', id: '1', step: text, target: text, message: text, log: text },
      { verbosity: 'quiet' },
    )
    const shown = `${renderError(error, { tool: 'davit-x', format: 'text', debug: false })}${failed}\n`
    const others = shown.split('\n').filter((line) => !/^(?: {4}| {2}\| )/.test(line))
    expect(others.map((line) => line.replace(/: .*/s, ''))).toEqual([
      expect.anything(),
      'davit-x',
      'caused by',
      'hint',
      expect.stringMatching(/^\[/),
      '',
    ])
    expect(forgeriesIn(shown.replaceAll('\n', ' '), 'x')).toEqual([])
  })
})
