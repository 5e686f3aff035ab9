import { expect, test } from 'vitest'

import { clientInterfaceFor } from '../src/documents.ts'

test.each([
  [undefined, 'ssh', 'ssh'],
  [undefined, 'disnix-ssh-client', 'disnix-ssh-client'],
  ['ssh', 'ssh', 'ssh'],
  ['local', 'ssh', 'local'],
  ['ssh', 'local', 'ssh'],
  ['ssh', 'disnix-ssh-client', 'disnix-ssh-client'],
  ['local', 'disnix-ssh-client', 'disnix-run-activity'],
  ['ssh', 'disnix-run-activity', 'disnix-ssh-client'],
  ['ssh', 'davit-client', 'davit-client'],
  ['local', 'davit-client', 'davit-run-activity'],
  ['ssh', '/opt/serial-client', 'ssh'],
  ['/opt/serial-client', 'disnix-ssh-client', '/opt/serial-client'],
  ['davit-client', 'disnix-ssh-client', 'davit-client'],
])('clientInterfaceFor(%s, %s) is %s', (own, given, expected) => {
  expect(clientInterfaceFor(own, given)).toBe(expected)
})
