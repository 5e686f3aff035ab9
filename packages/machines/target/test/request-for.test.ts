import type { TargetName } from '@davit/documents'
import { expect, test } from 'vitest'

import { isHere, requestFor, requestKeyFor } from '../src/target.ts'
import { targetWith } from './target-with.ts'

const named = (name: string) => name as TargetName

const ONE = named('one')
const infrastructureWith = (clientInterface: string) => new Map([[ONE, targetWith(clientInterface, 'a')]])

test.each([
  ['/opt/clients/serial', [{ kind: 'client', executable: '/opt/clients/serial', address: 'a' }]],
  ['disnix-client', [{ kind: 'client', executable: 'disnix-client', address: 'a' }]],
  ['disnix-ssh-client', [{ kind: 'ssh', address: 'a' }]],
  ['disnix-run-activity', [{ kind: 'local' }]],
])('the client interface %s is known', (clientInterface, request) => {
  expect(requestFor(infrastructureWith(clientInterface), ONE)).toEqual(request)
})

test.each([
  [
    'clients/serial',
    "there is no client interface 'clients/serial'",
    'write the absolute path of the client executable',
  ],
  ['disnix-ssh-clint', "there is no client interface 'disnix-ssh-clint'", "did you mean 'disnix-ssh-client'?"],
  ['telnet', "there is no client interface 'telnet'", "write 'ssh', 'local', or the path of a client executable"],
])('the client interface %s is refused', (clientInterface, message, hint) => {
  expect(() => requestFor(infrastructureWith(clientInterface), ONE)).toThrow(expect.objectContaining({ message, hint }))
})

test('a target has the store and the state of this machine only if it is local, however that is spelled', () => {
  const here = ['local', 'davit-run-activity', 'disnix-run-activity']
  const elsewhere = ['ssh', 'disnix-ssh-client', 'davit-client', '/opt/local', 'locally']
  expect(here.map((clientInterface) => isHere({ clientInterface }))).toEqual([true, true, true])
  expect(elsewhere.filter((clientInterface) => isHere({ clientInterface }))).toEqual([])
  expect(isHere(targetWith('ssh', 'localhost'))).toBe(false)
})

test('targets of an infrastructure share a connection if their requests have the same key', () => {
  const infrastructure = new Map([
    [named('one'), targetWith('ssh')],
    [named('two'), targetWith('disnix-ssh-client')],
    [named('other'), targetWith('ssh', 'db')],
    [named('client'), targetWith('/opt/client')],
    [named('nowhere'), targetWith('ssh', '')],
    [named('unknown'), targetWith('telnet')],
  ])
  const keys = Object.fromEntries([...infrastructure.keys()].map((name) => [name, requestKeyFor(infrastructure, name)]))
  expect(keys['one']).toBe(keys['two'])
  expect(new Set([keys['one'], keys['other'], keys['client']]).size).toBe(3)
  expect([keys['nowhere'], keys['unknown']]).toEqual([undefined, undefined])
  expect(() => requestFor(infrastructure, named('gone'))).toThrow(new RangeError("'gone' is none of the targets"))
})
