import type { ArchitectureModel } from '@davit/normalization'
import type { System } from '@davit/documents'
import { expect, test } from 'vitest'

import { storeKindFor } from '../src/store-kind.ts'

const model = (clientInterface?: string) =>
  ({
    services: new Map(),
    targetPackages: new Map(),
    infrastructure: new Map([['plant', clientInterface === undefined ? {} : { clientInterface }]]),
  }) as unknown as ArchitectureModel

function kindFor(clientInterface: string | undefined, wanted?: 'nix' | 'native') {
  const given = model(clientInterface)
  const files = { infrastructure: 'infrastructure.yaml' } as Parameters<typeof storeKindFor>[1]['files']
  return storeKindFor(given, {
    wanted,
    files,
    system: 'x86_64-linux' as System,
    clientInterface: 'ssh',
  })
}

test('storeKindFor() chooses the Nix store for targets behind client executables', () => {
  expect([kindFor(undefined), kindFor('local'), kindFor('/opt/my-client')]).toEqual(['native', 'native', 'nix'])
})

test('storeKindFor() refuses the native store for a client executable', () => {
  expect(() => kindFor('my-client', 'native')).toThrow("target 'plant' is reached through a client executable")
  expect(kindFor('my-client', 'nix')).toBe('nix')
})
