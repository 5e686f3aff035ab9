import { expect, expectTypeOf, test } from 'vitest'

import { asDetail, type Message, messages, note, warning } from '../src/diagnostics.ts'

const say = messages({
  'nothing-to-do': note({}, () => 'nothing to do'),
  set: note({ target: 'prefix', number: 'number' }, ({ number }) => `set to ${number}`),
  recorded: note({ generation: 'generation' }, ({ generation }) => `generation ${generation}`),
  kept: warning(
    { names: 'texts', hint: 'hint?' },
    ({ names }) => `kept ${names.map((name) => `'${name}'`).join(', ')}`,
    'look',
  ),
})

test('a message has its code, its sentence and its fields', () => {
  expect(say('nothing-to-do')).toEqual({ kind: 'note', code: 'nothing-to-do', message: 'nothing to do', fields: {} })
  expect(say('kept', { names: ['a', 'b'] })).toEqual({
    kind: 'warning',
    code: 'kept',
    message: "kept 'a', 'b'",
    hint: 'look',
    fields: { names: ['a', 'b'] },
  })
})

test('target, generation and hint are separate from the other fields', () => {
  expect(say('set', { target: 't1', number: 3 })).toMatchObject({ target: 't1', fields: { number: 3 } })
  expect(say('recorded', { generation: 4 })).toMatchObject({ generation: 4, fields: {} })
  expect(say('kept', { names: [], hint: 'this instead' })).toMatchObject({
    hint: 'this instead',
    fields: { names: [] },
  })
})

test('asDetail() changes only the kind of a message', () => {
  const { kind, ...rest } = say('set', { target: 't1', number: 3 })
  expect(kind).toBe('note')
  expect(asDetail(say('set', { target: 't1', number: 3 }))).toEqual({ kind: 'detail', ...rest })
})

test('the compiler knows codes and their fields', () => {
  expectTypeOf(say('nothing-to-do')).toEqualTypeOf<Message>()
  // @ts-expect-error no such code
  expect(() => say('nothing')).toThrow("unknown message code 'nothing'")
  // @ts-expect-error a field is missing
  say('set', { target: 't1' })
  // @ts-expect-error a field is of another type
  say('set', { target: 't1', number: '3' })
  // @ts-expect-error a message without a table
  expectTypeOf({ kind: 'note', code: 'free', message: '', fields: {} } as const).toExtend<Message>()
})
