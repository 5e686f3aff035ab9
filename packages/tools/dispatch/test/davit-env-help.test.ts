import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { renderManPage } from '@davit/tool/testing'
import { describe, expect, test } from 'vitest'

import { executables, toolOf } from '../../../../scripts/executables.ts'
import { TOOLS } from './stand-ins.ts'

const script = fileURLToPath(new URL('../../../../scripts/davit-env', import.meta.url))

describe('what davit-env says of itself', () => {
  const help = spawnSync(script, ['--help'], { encoding: 'utf8' }).stdout
  const page = readFileSync(`${script}.1`, 'utf8')
    .replace(/\\f[BIR]/g, '')
    .replaceAll('\\-', '-')
  const optionsIn = (text: string) => [...new Set(text.match(/(?<![\w-])--[a-z][a-z-]*/g))].toSorted()
  const variablesIn = (text: string) => [
    ...new Set(text.match(/\b(?:DAVIT|DISNIX|SSH)_[A-Z_]+\b|\bTMPDIR\b|\bNO_COLOR\b/g)),
  ]

  test('the manual page has the options of the help, and the script understands them', () => {
    const source = readFileSync(script, 'utf8')
    const understood = optionsIn(source.slice(source.indexOf('count=$#'), source.indexOf('*) unknown_option')))
    expect(optionsIn(page)).toEqual(optionsIn(help))
    expect(optionsIn(help).filter((option) => !understood.includes(option))).toEqual([])
  })

  test('help and manual page have every variable that its tools read', async () => {
    const called = executables().filter(({ name }) => TOOLS.includes(name.replace('davit-', '')))
    const tools = await Promise.all(called.map(toolOf))
    const read = tools.flatMap((tool) => variablesIn(renderManPage(tool).replaceAll('\\-', '-')))
    expect(new Set(read).size).toBeGreaterThan(15)
    for (const text of [help, page]) expect(read.filter((name) => !variablesIn(text).includes(name))).toEqual([])
  })
})
