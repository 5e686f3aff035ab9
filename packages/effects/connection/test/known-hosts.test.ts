import { expect, test } from 'vitest'
import { hashHostName, judgeHostKey, knownKeyTypes, parseKnownHosts } from '../src/known-hosts.ts'

/** A key in the format of RFC 4253 whose content is a word. */
function key(word: string, type = 'ssh-ed25519'): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(type.length)
  return Buffer.concat([length, Buffer.from(type), Buffer.from(word)])
}

const line = (names: string, word: string, type = 'ssh-ed25519'): string =>
  `${names} ${type} ${key(word, type).toString('base64')}`

const hashed = hashHostName('web1', Buffer.from('01234567890123456789'))

test.each<[string, string, string, string]>([
  // known_hosts, names, key shown, verdict
  ['', 'web1', 'A', 'unknown'],
  [line('web1', 'A'), 'web1', 'A', 'known'],
  [line('web1', 'A'), 'web2', 'A', 'unknown'],
  [line('web1', 'A'), 'web1', 'B', 'changed'],
  [line('WEB1', 'A'), 'web1', 'A', 'known'],
  [`${line('web1', 'A')} comment of words`, 'web1', 'A', 'known'],
  [`  ${line('web1', 'A')}\r`, 'web1', 'A', 'known'],
  [`# ${line('web1', 'A')}`, 'web1', 'A', 'unknown'],
  [line('web1,10.0.0.1', 'A'), '10.0.0.1', 'A', 'known'],
  [line(hashed, 'A'), 'web1', 'A', 'known'],
  [line(hashed, 'A'), 'web2', 'A', 'unknown'],
  [line(hashed, 'A'), 'web1', 'B', 'changed'],
  [line('|2|x|y', 'A'), 'web1', 'A', 'unknown'],
  [line('web*', 'A'), 'web1', 'A', 'known'],
  [line('web?', 'A'), 'web12', 'A', 'unknown'],
  [line('web.1', 'A'), 'webx1', 'A', 'unknown'],
  [line('*,!web1', 'A'), 'web1', 'A', 'unknown'],
  [line('*,!web1', 'A'), 'web2', 'A', 'known'],
  [line('[web1]:2222', 'A'), '[web1]:2222 web1', 'A', 'known'],
  [line('[web1]:2222', 'A'), 'web1', 'A', 'unknown'],
  [line('web1', 'A'), '[web1]:2222 web1', 'A', 'known'],
  [`${line('[web1]:2222', 'B')}\n${line('web1', 'A')}`, '[web1]:2222 web1', 'A', 'changed'],
  [`${line('web1', 'A')}\n${line('web1', 'B')}`, 'web1', 'B', 'known'],
  [`${line('web1', 'R', 'ssh-rsa')}\n${line('web1', 'A')}`, 'web1', 'A', 'known'],
  [line('web1', 'R', 'ssh-rsa'), 'web1', 'A', 'changed'],
  [`@revoked ${line('*', 'A')}\n${line('web1', 'A')}`, 'web1', 'A', 'revoked'],
  [`@revoked ${line('*', 'A')}\n${line('web1', 'B')}`, 'web1', 'B', 'known'],
  [`@revoked ${line('web2', 'A')}\n${line('web1', 'A')}`, 'web1', 'A', 'known'],
  [`@cert-authority ${line('*', 'A')}`, 'web1', 'A', 'unknown'],
  [`@other ${line('web1', 'A')}`, 'web1', 'A', 'unknown'],
  [line('w*b*1', 'A'), 'wxbbbx1', 'A', 'known'],
  [line('w*b*1', 'A'), 'wxbbbx12', 'A', 'unknown'],
  [line('*1*', 'A'), 'web1', 'A', 'known'],
  [line('?eb?', 'A'), 'web1', 'A', 'known'],
  [line('**', 'A'), 'web1', 'A', 'known'],
  [line(`${'*a'.repeat(60)}*b`, 'A'), 'a'.repeat(250), 'A', 'unknown'],
  ['web1 ssh-ed25519 not/the=key', 'web1', 'A', 'unknown'],
  ['web1 ssh-ed25519', 'web1', 'A', 'unknown'],
  ['web1 1024 35 1234567', 'web1', 'A', 'unknown'],
])('judgeHostKey() with %j says that %s with key %s is %s', (text, names, word, verdict) => {
  const entries = parseKnownHosts('known_hosts', text)
  expect(judgeHostKey(entries, names.split(' '), key(word)).kind).toBe(verdict)
})

test('judgeHostKey() names the line of the key of the same type', () => {
  const entries = parseKnownHosts('file', `\n${line('web1', 'R', 'ssh-rsa')}\n${line('web1', 'B')}\n`)
  expect(judgeHostKey(entries, ['web1'], key('A'))).toMatchObject({ kind: 'changed', entry: { file: 'file', line: 3 } })
})

test('knownKeyTypes() are those of the first name that is known', () => {
  const text = `${line('[web1]:22', 'R', 'ssh-rsa')}\n${line('web1', 'A')}\n@revoked ${line('[web1]:22', 'E', 'ecdsa')}`
  expect([...knownKeyTypes(parseKnownHosts('', text), ['[web1]:22', 'web1'])]).toEqual(['ssh-rsa'])
})

test('hashHostName() writes what ssh-keygen -H writes', () => {
  // Written by OpenSSH 9.2.
  const written = '|1|iIJn5VLkfh/BOvzG2KGmFOojcQg=|cSoJp2hESGvXgN5JmuhtxcU/tKQ='
  expect(hashHostName('web1', Buffer.from('iIJn5VLkfh/BOvzG2KGmFOojcQg=', 'base64'))).toBe(written)
})
