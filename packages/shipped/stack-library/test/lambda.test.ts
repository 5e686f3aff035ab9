import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@davit/testing/wait'
import { afterEach, expect, test } from 'vitest'
import { directoryOf, lambda, type Running, start, watched } from './programs.ts'

const running: Running[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

async function served(...given: Parameters<typeof lambda>): Promise<Running> {
  const one = await lambda(...given)
  running.push(one)
  return one
}

async function answer(url: string, init?: RequestInit) {
  const response = await fetch(url, init)
  return { status: response.status, type: response.headers.get('content-type'), body: await response.text() }
}

test('a function gets method, path, query, headers and body', async () => {
  const { url } = await served({ 'index.mjs': 'export const handler = (request) => request' })
  const headers = { 'x-word': 'w', 'content-type': 'text/plain' }
  const { body } = await answer(`${url}/a%20b/c?x=1&y=%C3%A4&x=2&__proto__=p`, { method: 'PUT', headers, body: 'ä' })
  const request = JSON.parse(body) as { readonly headers: object }
  expect(request).toMatchObject({ method: 'PUT', path: '/a%20b/c', body: 'ä', headers })
  expect(JSON.stringify(request)).toContain('"query":{"x":"2","y":"ä","__proto__":"p"}')
})

const ANSWERS = [
  ['a text', '"word"', { status: 200, type: 'text/plain; charset=utf-8', body: 'word' }],
  ['an empty text', '""', { status: 200, type: 'text/plain; charset=utf-8', body: '' }],
  ['nothing', 'undefined', { status: 204, type: null, body: '' }],
  ['a table', '{ a: [1] }', { status: 200, type: 'application/json', body: '{"a":[1]}' }],
  [
    'a table with a status of its own',
    '{ status: "up" }',
    { status: 200, type: 'application/json', body: '{"status":"up"}' },
  ],
  [
    'a status with other members',
    '{ status: 404, x: 1 }',
    { status: 200, type: 'application/json', body: '{"status":404,"x":1}' },
  ],
  ['a list', '[1]', { status: 200, type: 'application/json', body: '[1]' }],
  ['bytes', 'Buffer.from("b")', { status: 200, type: 'application/octet-stream', body: 'b' }],
  ['a status', '{ status: 404, body: { no: 1 } }', { status: 404, type: 'application/json', body: '{"no":1}' }],
  [
    'headers',
    '{ status: 201, headers: { "Content-Type": "text/html" }, body: "<b>" }',
    { status: 201, type: 'text/html', body: '<b>' },
  ],
  ['a promise', 'Promise.resolve("later")', { status: 200, type: 'text/plain; charset=utf-8', body: 'later' }],
] as const

test('a function answers a text, bytes, anything as JSON, or with a status and headers', async () => {
  const results = ANSWERS.map(([name, result]) => `${JSON.stringify(encodeURI(name))}: () => (${result})`)
  const code = `const results = { ${results.join()} }\nexport const handler = ({ path }) => results[path.slice(1)]()`
  const { url } = await served({ 'index.mjs': code })
  for (const [name, , expected] of ANSWERS) expect([name, await answer(`${url}/${name}`)]).toEqual([name, expected])
})

test.each([
  ['what it throws', 'throw new Error("out of order")', 'Error: out of order'],
  ['a promise that fails', 'return Promise.reject(new Error("too late"))', 'Error: too late'],
  [
    'what it throws later',
    'return new Promise(() => setTimeout(() => { throw new Error("even later") }))',
    'even later',
  ],
  ['a value that cannot be written', 'return 1n', 'BigInt'],
  ['a status that is none', 'return { status: 1, body: "" }', 'Invalid status code'],
])('%s is a 500 and in the log, and the function goes on', async (_, body, logged) => {
  const code = `export function handler({ path }) { if (path === '/well') return 'well'; ${body} }`
  const { url, output } = await served({ 'index.mjs': code })
  expect(await answer(`${url}/ill`)).toMatchObject({ status: 500, body: 'the function failed\n' })
  expect(output()).toContain(logged)
  expect(await answer(`${url}/well`)).toMatchObject({ status: 200, body: 'well' })
})

test.each([
  ['index.js', 'exports.handler = () => "common"', 'index.handler'],
  ['lib/fn.mjs', 'export const main = () => "common"', 'lib/fn.main'],
  ['v1.2.cjs', 'module.exports = { go: () => "common" }', 'v1.2.go'],
])('a function is found in %s', async (file, code, handler) => {
  const { url } = await served({ [file]: code }, { handler })
  expect((await answer(url)).body).toBe('common')
})

test('a body that is too large is refused', async () => {
  const { url } = await served({ 'index.mjs': 'export const handler = ({ body }) => String(body.length)' })
  const post = (length: number) => answer(url, { method: 'POST', body: 'x'.repeat(length) }).catch(() => 'cut off')
  expect(await post(16 * 1024 * 1024)).toMatchObject({ status: 200, body: '16777216' })
  expect(await post(16 * 1024 * 1024 + 1)).not.toMatchObject({ status: 200 })
  expect(await post(1)).toMatchObject({ status: 200, body: '1' })
})

test.each([
  ['node', 'index.handler', {}, "there is no module 'index' in"],
  ['node', 'index.other', { 'index.mjs': 'export const handler = 1' }, "exports no function 'other'"],
  ['node', 'handler', {}, "there is no module 'handler'"],
  ['program', 'fn', {}, 'there is no such program'],
  ['program', 'fn', { 'fn/main': '' }, 'there is no such program'],
])('a handler of %s that is not there ends it: %s', async (runtime, handler, files, problem) => {
  const one = watched(start('lambda', ['1', runtime, handler], directoryOf(files)))
  const [status] = (await once(one.process, 'close')) as [number]
  expect([status, one.output()]).toEqual([1, expect.stringContaining(problem)])
})

const ECHO = '#!/bin/sh\nprintf "%s %s " "$1" "$2"\ncat\nif [ "$2" = /ill ]; then echo "no idea" >&2; exit 3; fi\n'

test.each(['fn', 'bin/fn'])('a program is run for each request: %s', async (file) => {
  const { url, output } = await served({ [file]: ECHO }, { runtime: 'program', handler: 'fn' })
  const body = 'line\n'.repeat(40_000)
  expect(await answer(`${url}/a?b=1`, { method: 'POST', body })).toEqual({
    status: 200,
    type: 'text/plain; charset=utf-8',
    body: `POST /a?b=1 ${body}`,
  })
  expect(await answer(`${url}/ill`)).toMatchObject({ status: 500 })
  expect(output()).toContain('no idea')
  expect(output()).toContain("fn' ended with status 3")
})

test('a program whose caller is gone is ended', async () => {
  const wait = '#!/bin/sh\necho $$ >pid.new\nmv pid.new pid\nexec sleep 1000\n'
  const { url, directory } = await served({ fn: wait }, { runtime: 'program', handler: 'fn' })
  const caller = new AbortController()
  const call = fetch(url, { signal: caller.signal }).catch(() => 'gone')
  await until(() => existsSync(join(directory, 'pid')))
  caller.abort()
  expect(await call).toBe('gone')
  const pid = readFileSync(join(directory, 'pid'), 'utf8').trim()
  await until(() => !existsSync(`/proc/${pid}`))
})

test('it ends when it is told to, once its requests are answered', async () => {
  const code = `export const handler = () => {
    console.log('begun')
    return new Promise((done) => process.once('SIGTERM', () => setTimeout(done, 50, 'answered')))
  }`
  const one = await lambda({ 'index.mjs': code })
  const call = answer(one.url)
  await until(() => one.output() === 'begun\n')
  const status = await one.stop()
  expect([status, (await call).body]).toEqual([0, 'answered'])
})
