import type { Mapping, ServiceName, StorePath } from '@davit/documents'
import { expect, test } from 'vitest'
import { serviceKeyOf } from '../src/service-key.ts'

const DB_KEY = 'b96e2b564a05116e96e14735b61cbf783cb2d20383354fe2557ff544a456a883'

/** Both vectors were computed by Nix. */
test('serviceKeyOf() hashes what builtins.toXML gives', () => {
  const database = {
    name: 'db' as ServiceName,
    type: 'mysql-database',
    pkg: `/nix/store/${'0'.repeat(32)}-db` as StorePath,
    dependsOn: [],
  }
  expect(serviceKeyOf(database)).toBe(DB_KEY)

  const dependency = { service: DB_KEY, target: 'test2', container: 'mysql-database' } as unknown as Mapping
  const web = {
    name: 'web' as ServiceName,
    type: 'process',
    pkg: `/nix/store/${'1'.repeat(32)}-web` as StorePath,
    dependsOn: [dependency],
  }
  expect(serviceKeyOf(web)).toBe('a6e72869b9591d4b05b9a7143810631cc85b7e4c6bfb9350922d347ecf6625da')
})

test('serviceKeyOf() escapes like builtins.toXML', () => {
  const identity = { type: '', pkg: '' as StorePath, dependsOn: [] }
  const keys = ['"', '&quot;', '<', '&lt;', '\n', '&#xA;'].map((name) =>
    serviceKeyOf({ ...identity, name: name as ServiceName }),
  )
  expect(new Set(keys).size).toBe(6)
})
