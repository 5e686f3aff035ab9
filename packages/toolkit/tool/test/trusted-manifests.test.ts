import type { Infrastructure, Manifest } from '@davit/documents'
import { referencesIn } from '@davit/target'
import { expect, test } from 'vitest'

import { trustedManifests } from '../src/target-source.ts'

/** One target, whose container has a secret in a variable. */
function infrastructure(variable: string): Infrastructure {
  const container = new Map([['key', new Map([['secret', new Map([['env', variable]])]])]])
  return new Map([['back', { containers: new Map([['process', container]]) }]]) as never
}

const manifest = { infrastructure: infrastructure('DEPLOYED'), services: new Map(), serviceMappings: [] }

test.each([
  [undefined, 'GIVEN'],
  [manifest as unknown as Manifest, 'DEPLOYED'],
])('secrets are read for the infrastructure model that is given, or for the manifest (%#)', (expected, variable) => {
  const trusted = trustedManifests({ infrastructure: infrastructure('GIVEN'), expected })
  expect(JSON.stringify(referencesIn(trusted))).toContain(`"${variable}"`)
})
