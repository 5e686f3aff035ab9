import { fileURLToPath } from 'node:url'

/** Directory of the stacks that davit ships; an installation keeps it at the same place relative to its executables. */
export const LIBRARY_DIRECTORY = fileURLToPath(new URL('../stack-library', import.meta.url))

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
