import { join } from 'node:path'

import { scratchDirectory } from '@davit/testing/scratch'
import type { ToolContext } from '@davit/tool'
import { parseArguments } from '@davit/tool/testing'
import { expect, test } from 'vitest'

import { refuseUnfit } from '../src/check-arguments.ts'
import { tool } from '../src/main.ts'

/** Runs davit-reconstruct with an infrastructure model that is not there. */
async function reconstruct(...argv: readonly string[]): Promise<unknown> {
  const directory = scratchDirectory()
  const environment = { HOME: directory, DAVIT_STATE_DIR: join(directory, 'state') }
  const request = parseArguments(tool, { argv: [...argv, join(directory, 'infrastructure.yaml')], environment })
  if (request.kind !== 'run') throw new Error('not a run')
  const { args } = request
  const signal = new AbortController().signal
  const context = { args, environment, workingDirectory: directory, privileged: false, signal, report: () => {} }
  return tool.run(context as unknown as ToolContext<never>)
}

test.each([
  ['--output', 'manifest.json'],
  ['--format', 'json'],
  ['--format', 'xml'],
])('davit-reconstruct refuses %s %s with --as, before anything else', async (option, value) => {
  await expect(reconstruct('--as', 'yaml', option, value)).rejects.toMatchObject({
    code: 'usage',
    exitStatus: 64,
    message: expect.stringContaining(option),
    hint: expect.stringContaining('--directory'),
  })
  await expect(reconstruct(option, value)).rejects.not.toMatchObject({ code: 'usage' })
  await expect(reconstruct('--as', 'yaml')).rejects.not.toMatchObject({ code: 'usage' })
})

test('refuseUnfit() refuses models in the Nix language for packages of a native store', () => {
  const native = { kind: 'native', directory: '/store' } as const
  const nix = { kind: 'nix', directory: '/nix/store' } as const
  expect(() => refuseUnfit('nix', native)).toThrow(expect.objectContaining({ code: 'wrong-store', exitStatus: 64 }))
  refuseUnfit('nix', nix)
  refuseUnfit('yaml', native)
})
