import { DavitError } from '@davit/diagnostics'
import { describe, expect, test } from 'vitest'

import { connectionPool, type ConnectionRequest, HERE, type Hop, requestKey, requestText } from '../src/connection.ts'
import { parseLine, REQUESTS } from '../src/held/protocol.ts'

const ssh = (address: string): Hop => ({ kind: 'ssh', address })
const client: Hop = { kind: 'client', executable: '/opt/serial', address: 'web' }

test('requests have the same key if they have the same hops, however these are written', () => {
  const turned: Hop = { address: 'web', executable: '/opt/serial', kind: 'client' }
  expect(requestKey([turned])).toBe(requestKey([client]))
  const different: readonly ConnectionRequest[] = [
    HERE,
    [ssh('web')],
    [ssh('local')],
    [client],
    [ssh('web'), ssh('inner')],
    [ssh('inner'), ssh('web')],
  ]
  expect(new Set(different.map(requestKey)).size).toBe(different.length)
})

test('messages name all hops of a request', () => {
  expect([HERE, [ssh('web')], [client]].map((request) => requestText(request as ConnectionRequest))).toEqual([
    'local',
    'web',
    'web',
  ])
  expect(requestText([ssh('deploy@web'), ssh('inner')])).toBe('deploy@web > inner')
})

test.each<[string, ConnectionRequest]>([
  ['local > inner', [{ kind: 'local' }, ssh('inner')]],
  ['web > inner', [ssh('web'), ssh('inner')]],
  ['web > web', [client, client]],
])('a pool refuses the chain %s, since it has more than one hop', async (text, request) => {
  const pool = connectionPool({ environment: {} })
  const error: unknown = await pool.connect(request).catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(DavitError)
  expect(error).toMatchObject({
    code: 'unsupported-interface',
    exitStatus: 69,
    message: `cannot connect to '${text}': more than one hop is not supported, and it takes 2`,
  })
  await pool.close()
})

describe('what a holder is asked for', () => {
  const parsed = (field: object) =>
    parseLine(JSON.stringify({ kind: 'connect', id: 1, isReturning: false, ...field }), REQUESTS)

  test('is a list of hops that begins with ssh', () => {
    for (const hops of [[ssh('web')], [ssh('web'), ssh('inner'), client]])
      expect(parsed({ hops })).toMatchObject({ hops })
  })

  test.each<[string, object]>([
    ['an address alone', { address: 'web' }],
    ['a hop without a list', { hops: ssh('web') }],
    ['no hop', { hops: [] }],
    ['a hop of this machine first', { hops: [{ kind: 'local' }, ssh('web')] }],
    ['a client executable first', { hops: [client] }],
    ['an unknown hop', { hops: [ssh('web'), { kind: 'teleport' }] }],
    ['a hop without its address', { hops: [ssh('web'), { kind: 'ssh' }] }],
    ['a hop that is a text', { hops: ['web'] }],
  ])('is not %s', (_, field) => {
    expect(parsed(field)).toBeUndefined()
  })
})
