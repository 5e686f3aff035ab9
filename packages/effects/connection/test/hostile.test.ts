import { createHash } from 'node:crypto'
import { DavitError } from '@davit/diagnostics'
import { failureOf } from '@davit/diagnostics/testing'
import { patience, runs, tellFigure } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { ANSWERS, CHANNEL_EVENTS, OPENINGS, parseLine, REQUESTS } from '../src/held/protocol.ts'
import { decodeError, type WireError } from '../src/held/wire-error.ts'
import { hashHostName, judgeHostKey, knownKeyTypes, parseKnownHosts } from '../src/known-hosts.ts'
import { parseSshAddress } from '../src/ssh-address.ts'
import { parseSshConfiguration } from '../src/ssh-configuration.ts'

type Parsed = { readonly kind: string; readonly error?: WireError }

let inputs = 0
afterAll(() => tellFigure(`ssh: ${inputs} hostile inputs, each a value or a DavitError`))

const KEY = Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from('ssh-ed25519'), createHash('sha256').digest()])
const KNOWN_HOSTS = `# comment
web1,10.0.0.1 ssh-ed25519 ${KEY.toString('base64')} a comment
${hashHostName('web1', Buffer.alloc(20))} ssh-ed25519 ${KEY.toString('base64')}
@revoked * ssh-ed25519 ${KEY.toString('base64')}
@cert-authority *.example,!web? ssh-ed25519 ${KEY.toString('base64')}
[web1]:2222 ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDh
`
const CONFIGURATION = `host web1
user deploy
hostname 10.0.0.1
port 22
addressfamily any
identityfile ~/.ssh/id_%r_%h
identityagent $SSH_AUTH_SOCK
userknownhostsfile /a b ~/kh
proxyjump a:22,b
connecttimeout 3
serveraliveinterval 5
hostkeyalgorithms ssh-ed25519,rsa-sha2-512
proxycommand none
`
const TOKENS = { environment: {}, home: '/home/me', localUser: 'me', localUserId: 1, originalHost: 'web1' }

describe('fuzzing', patience, () => {
  test('known_hosts: any text can be parsed, and only keys that it contains are known', () => {
    const unknownKey = Buffer.concat([KEY.subarray(0, 15), createHash('sha256').update('other').digest()])
    const keys = fc.oneof(
      fc.constant(unknownKey),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    )
    fc.assert(
      fc.property(fc.oneof(mutationsOf([KNOWN_HOSTS]), awkwardText), keys, (text, key) => {
        inputs += 1
        const entries = parseKnownHosts('known_hosts', text)
        knownKeyTypes(entries, ['[web1]:2222', 'web1'])
        const held = entries.some((entry) => entry.key.equals(key))
        const { kind } = judgeHostKey(entries, ['[web1]:2222', 'web1'], key)
        expect(kind === 'known' && !held).toBe(false)
      }),
      runs(400),
    )
  })

  test('output of ssh -G: a configuration within its bounds, or an error for what is not supported', () => {
    fc.assert(
      fc.property(fc.oneof(mutationsOf([CONFIGURATION]), awkwardText), (text) => {
        inputs += 1
        failureOf(() => {
          const { port, connectTimeoutSeconds, keepalive } = parseSshConfiguration('web1', text, TOKENS)
          const numbers = [port, connectTimeoutSeconds, keepalive.seconds, keepalive.count]
          expect(numbers.every((number) => Number.isSafeInteger(number) && number > 0)).toBe(true)
        })
      }),
      runs(400),
    )
  })

  test('an address: never a word that ssh takes for an option or a shell for more than a word', () => {
    fc.assert(
      fc.property(
        fc.oneof(mutationsOf(['deploy@web1.example:2222', 'ssh://u@[::1]:22', 'fe80::1%eth0']), awkwardText),
        (text) => {
          inputs += 1
          failureOf(() => {
            const { host, user = 'u' } = parseSshAddress(text)
            for (const word of [host, user])
              expect(word).toMatch(/^[^-\s'"`$\\;&<>|(){}@/,[\]][^\s'"`$\\;&<>|(){}@/,[\]]*$/)
          })
        },
      ),
      runs(400),
    )
  })

  test('a line on the socket of a holder: a message of the table, or nothing', () => {
    const lines = [
      '{"kind":"session","protocol":1,"environment":{"HOME":"/home/me"},"directory":"/","attempts":2}',
      '{"kind":"run","channel":"c","link":1,"script":"true"}',
      '{"kind":"ended","stream":"stdout","error":{"message":"m","code":"unreachable","exitStatus":69,"cause":{"message":"c"}}}',
      '{"kind":"report","event":{"kind":"warning","code":"c","message":"m","fields":{}}}',
    ]
    fc.assert(
      fc.property(fc.oneof(mutationsOf(lines), awkwardText), (line) => {
        inputs += 1
        for (const shapes of [OPENINGS, REQUESTS, ANSWERS, CHANNEL_EVENTS] as const) {
          const message: Parsed | undefined = parseLine<{ readonly kind: string }>(line, shapes)
          const { kind, error } = { kind: '', error: { message: '' }, ...message }
          expect(['', ...Object.keys(shapes)]).toContain(kind)
          expect(decodeError(error)).toBeInstanceOf(Error)
        }
      }),
      runs(400),
    )
  })
})

test('parseSshAddress() repeats no more than the beginning of what it refuses', () => {
  const error = failureOf(() => parseSshAddress(`${'a'.repeat(100_000)} b`))
  expect(error).toBeInstanceOf(DavitError)
  expect(error?.message.length).toBeLessThan(400)
})
