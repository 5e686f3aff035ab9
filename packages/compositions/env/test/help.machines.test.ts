import { renderManPage } from '@davit/tool/testing'
import { expect, test } from 'vitest'

import { executables, toolOf } from '../../../../scripts/executables.ts'
import { tool } from '../src/env.ts'
import { TOOLS } from './scene.ts'

const variablesIn = (text: string) => [
  ...new Set(text.replaceAll('\\-', '-').match(/\b(?:DAVIT|DISNIX|SSH)_[A-Z_]+\b|\bTMPDIR\b|\bNO_COLOR\b/g)),
]

test('the manual page of davit-env has every variable that its tools read', async () => {
  const called = executables().filter(({ name }) => TOOLS.includes(name.replace('davit-', '')))
  const tools = await Promise.all(called.map(toolOf))
  // davit-env sets this one itself.
  const read = tools.flatMap((one) => variablesIn(renderManPage(one))).filter((name) => name !== 'DAVIT_ORIGIN')
  expect(new Set(read).size).toBeGreaterThan(15)
  expect(read.filter((name) => !variablesIn(renderManPage(tool)).includes(name))).toEqual([])
})
