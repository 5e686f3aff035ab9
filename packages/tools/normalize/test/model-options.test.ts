import { parseArguments } from '@davit/tool/testing'
import { expect, test } from 'vitest'
import { tool } from '../src/main.ts'
import { modelFilesOf } from '../src/model-options.ts'

const filesFor = (words: string) => {
  const request = parseArguments(tool, { argv: words.split(' '), environment: {} })
  return modelFilesOf((request as unknown as { args: Parameters<typeof modelFilesOf>[0] }).args)
}

test.each([
  ['-s s -i i -d d', { services: 's', infrastructure: 'i', distribution: 'd' }],
  ['-s s -i i -d d -P p', { services: 's', infrastructure: 'i', distribution: 'd', packages: 'p' }],
  ['-P p -i i', { infrastructure: 'i', packages: 'p' }],
  ['-A a', { architecture: 'a' }],
  ['--undeploy -i i -s s', { infrastructure: 'i' }],
  ['--infrastructure-only -i i', { infrastructure: 'i' }],
])('%s names the models', (words, files) => {
  expect(filesFor(words)).toEqual(files)
})

test.each([
  ['-s s', 'the infrastructure model (-i) and the distribution model (-d) are missing'],
  ['-d d -i i', 'the services model (-s) is missing'],
  ['-P p', 'the infrastructure model (-i) is missing'],
  ['--undeploy -s s', 'the infrastructure model (-i) is missing'],
  ['--infrastructure-only', 'the infrastructure model (-i) is missing'],
  ['--infrastructure-only -i i -s s', '--services and --infrastructure-only cannot be combined'],
  ['--infrastructure-only -i i -P p', '--packages and --infrastructure-only cannot be combined'],
  ['--infrastructure-only -A a', '--architecture and --infrastructure-only cannot be combined'],
  ['--infrastructure-only -i i --undeploy', '--undeploy and --infrastructure-only cannot be combined'],
  ['-i i', 'an infrastructure model alone deploys nothing'],
  ['--show-trace', 'no models'],
])('%s is refused, with what is missing', (words, message) => {
  expect(() => filesFor(words)).toThrow(expect.objectContaining({ message, exitStatus: 64 }))
})
