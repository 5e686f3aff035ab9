import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Report } from '@davit/diagnostics'
import { isMissing } from '@davit/files'
import { addToOrigin, encodeOrigin, givenOptions, type Steps } from '@davit/tool'

import { options, type Order } from './options.ts'
import { DEFAULT_PROFILE } from './profile-of-order.ts'
import { ORIGIN_VARIABLE } from './words.ts'

/** Describes an order that begins now. */
export function originOf(order: Order, directory: string): string {
  const given = { ...order, profile: order.profile === DEFAULT_PROFILE ? undefined : order.profile }
  const began = new Date().toISOString()
  return encodeOrigin({ order: { tool: 'davit-env', began, directory, options: givenOptions(options, given) } })
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
