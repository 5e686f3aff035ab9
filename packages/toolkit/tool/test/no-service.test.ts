import type { Manifest } from '@davit/documents'
import { expect, test } from 'vitest'

import { noService } from '../src/no-service.ts'

/** Services by key and name, and where they are. */
function manifest(places: readonly (readonly [service: string, target: string])[]): Manifest {
  const serviceMappings = places.map(([service, target]) => ({
    service: `key-${service}`,
    target,
    container: 'process',
  }))
  return { services: new Map(places.map(([name]) => [`key-${name}`, { name }])), serviceMappings } as never
}

const PLACES = [...['web1', 'web2'].map((target) => ['web', target] as const), ['api', 'app'] as const]
const MANY = Array.from({ length: 7 }, (_, index) => ['web', `w${index}`] as const)

test.each([
  ['wbe', PLACES, "did you mean 'web'?"],
  ['nothing', PLACES, "'davit-query' lists the services that are active"],
  ['api', PLACES, "'api' should be in process on 'app'"],
  ['web', PLACES, "'web' should be in process on 'web1', in process on 'web2'"],
  [
    'web',
    MANY,
    "'web' should be in process on 'w0', in process on 'w1', in process on 'w2', in process on 'w3', in process on 'w4', and 2 more",
  ],
])('if %s is not found on the targets that were asked, of %j, the hint is %s', (name, places, hint) => {
  expect(noService([name], manifest(places))).toMatchObject({
    message: `there is no service '${name}' on these targets`,
    exitStatus: 1,
    hint,
  })
})

test('without a manifest, nothing is known of other targets', () => {
  expect(noService(['web', 'api'], undefined)).toMatchObject({
    message: "there is no service 'web', 'api' on these targets",
    hint: "'davit-query' lists the services that are active",
  })
})
