import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'

import { evaluateModels, normalize } from '../src/normalize.ts'

test.each([
  ['lies with its user', 'local', 'local', true],
  ['lies with its user', undefined, 'local', true],
  ['lies with its user', 'disnix-run-activity', 'ssh', true],
  ['is that of the system', 'ssh', 'local', false],
  ['is that of the system', undefined, 'ssh', false],
])(
  'the store of a deployment %s if a target has the client interface %s, and --interface is %s',
  async (_, own, given, isOwn) => {
    const directory = scratchDirectory()
    const write = (name: string, model: object): string => {
      writeFileSync(join(directory, name), JSON.stringify(model))
      return join(directory, name)
    }
    const one = { properties: { hostname: 'localhost' }, ...(own === undefined ? {} : { clientInterface: own }) }
    const files = {
      services: write('services.yaml', {}),
      infrastructure: write('infrastructure.yaml', { one, two: { ...one, clientInterface: 'local' } }),
      distribution: write('distribution.yaml', {}),
    }
    const run = {
      report: () => {},
      journal: () => {},
      signal: new AbortController().signal,
      environment: { XDG_STATE_HOME: directory, DAVIT_SYSTEM: 'x86_64-linux' },
      workingDirectory: directory,
      privileged: false,
    }
    const options = {
      ...files,
      interface: given,
      targetProperty: 'hostname',
      modules: [],
      extraParams: undefined,
    } as never
    const evaluated = await evaluateModels(options, run)
    const { store } = await normalize(evaluated, options, run)
    expect(store).toEqual({
      kind: 'native',
      directory: isOwn ? join(directory, 'davit/store') : '/var/lib/davit/store',
    })
  },
)
