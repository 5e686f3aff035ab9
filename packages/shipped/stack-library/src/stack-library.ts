import { fileURLToPath } from 'node:url'

/** Directory of the stacks that davit ships; an installation keeps it at the same place relative to its executables. */
export const LIBRARY_DIRECTORY = fileURLToPath(new URL('../stack-library', import.meta.url))

/** Directories of the programs that run on targets. Each is complete, and needs nothing but Node.js 18 or later. */
export const TARGET_PROGRAMS = {
  event: fileURLToPath(new URL('../target-programs/event', import.meta.url)),
  lambda: fileURLToPath(new URL('../target-programs/lambda', import.meta.url)),
} as const

/** Names of these stacks. */
export const LIBRARY_STACKS: readonly string[] = [
  'aws/x/cf',
  'davit/x/service',
  'mu/autoscaler',
  'mu/container',
  'mu/event',
  'mu/func',
  'mu/gateway',
  'mu/lambda',
  'mu/volume',
]

export { nextTime, parseSchedule, type Schedule } from '../target-programs/event/schedule.mjs'
