import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Report } from '@davit/diagnostics'
import type { MadeFrom } from '@davit/documents'
import { isMissing } from '@davit/files'
import { addToOrigin, encodeOrigin, type Steps } from '@davit/tool'

import { options, type Order } from './options.ts'
import { dashed, ORIGIN_VARIABLE } from './words.ts'

/** Describes an order that begins now. */
export function originOf(order: Order, directory: string): string {
  const began = new Date().toISOString()
  return encodeOrigin({ order: { tool: 'davit-env', began, directory, options: optionsOf(order) } })
}

export interface HandingTerms {
  /** Directory for the file. */
  readonly directory: string
  /** What is known in advance. */
  readonly known: string
  readonly report: Report
}

/** Lets steps hand on what they know; returns that with what they return. */
export async function handingOn<Result>(
  steps: Steps,
  { directory, known, report }: HandingTerms,
  work: (steps: Steps) => Promise<Result>,
): Promise<{ readonly result: Result; readonly origin: string }> {
  const file = join(directory, 'origin')
  if (known !== '') await addToOrigin(file, known, report)
  const result = await work(steps.with({ [ORIGIN_VARIABLE]: file }))
  return { result, origin: await textOf(file) }
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return ''
    throw error
  })
}

type OrderOptions = NonNullable<MadeFrom['order']>['options']

/** Options of an order that differ from what they are by default. */
export function optionsOf(order: Order): OrderOptions {
  const usual = (name: string) => (Object.hasOwn(options, name) ? defaultOf(options[name as keyof typeof options]) : '')
  const given = Object.entries(order).flatMap(([name, value]) => {
    const option = dashed(name)
    const isUsual = value === undefined || !Object.hasOwn(options, option) || String(value) === usual(option)
    return isUsual ? [] : [[option, value] as const]
  })
  return Object.fromEntries(given) as OrderOptions
}

function defaultOf(option: object): string {
  if ('default' in option) return String(option.default)
  return 'type' in option && option.type === 'boolean' ? 'false' : ''
}
