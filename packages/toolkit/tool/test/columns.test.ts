import { expect, test } from 'vitest'

import { defineTool } from '../src/define-tool.ts'
import { runHere } from './run-here.ts'

const tool = defineTool({
  name: 'davit-wide',
  summary: 'Print the width of the terminal',
  description: [],
  examples: [],
  operands: {},
  options: {},
  exitStatus: {},
  environment: {},
  seeAlso: [],
  run: ({ columns, print }) => print(String(columns)),
})

test.each([
  [undefined, 'undefined'],
  [80, '80'],
  // As of `script` without a terminal, or a container that was given none.
  [0, 'undefined'],
])('a terminal that says that it has %s columns has %s', async (columns, text) => {
  expect(await runHere(tool, [], columns === undefined ? {} : { columns })).toEqual({
    status: 0,
    stdout: text,
    stderr: '',
  })
})
