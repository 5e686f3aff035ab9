import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@davit/testing/free-port'
import { scratchDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'
import { afterEach, expect, test } from 'vitest'
import { isListening, listener, type Running, start, watched } from './programs.ts'

const opened: { close(): unknown }[] = []
const running: Running[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
  for (const one of opened.splice(0)) one.close()
})

async function service(status?: number) {
  const one = await listener(status)
  opened.push(one)
  return one
}

function event(settings: object, port?: number): Running {
  const directory = scratchDirectory()
  writeFileSync(join(directory, 'settings'), JSON.stringify({ event: 'shop/tick', port, ...settings }))
  const one = watched(start('event', ['settings'], directory), port)
  running.push(one)
  return one
}

async function raisable(settings: object): Promise<Running> {
  const one = event(settings, await freePort())
  await until(() => isListening(one))
  return one
}

async function raise({ url }: Running) {
  const response = await fetch(url, { method: 'POST', body: 'whatever' })
  return [response.status, await response.json()]
}

test('a schedule tells all services when it is time', async () => {
  const [one, other] = [await service(), await service()]
  event({ schedule: '@every 1s', payload: { n: 1 }, targets: [[one.url], [`${other.url}/`]] })
  await until(() => one.messages.length >= 2 && other.messages.length >= 2)
  const bodies = one.messages.map(({ path, body }) => ({ path, ...(JSON.parse(body) as { readonly time: string }) }))
  for (const body of bodies) {
    expect(body).toEqual({ path: 'POST /', event: 'shop/tick', time: expect.any(String), payload: { n: 1 } })
    expect(Date.parse(body.time) % 1000).toBe(0)
  }
  expect(new Set(bodies.map(({ time }) => time)).size).toBe(bodies.length)
})

test('whoever posts to its port makes it tell, the places of a service in turn', async () => {
  const [one, other] = [await service(), await service()]
  const tick = await raisable({ targets: [[one.url, other.url]] })
  for (let count = 0; count < 4; count += 1) {
    expect(await raise(tick)).toEqual([200, { event: 'shop/tick', told: 1, failed: [] }])
  }
  expect([one.messages.length, other.messages.length]).toEqual([2, 2])
  expect(JSON.parse(one.messages[0]!.body)).toMatchObject({ event: 'shop/tick', payload: null })
  expect((await fetch(tick.url)).status).toBe(405)
  expect(one.messages).toHaveLength(2)
})

test('a place that cannot be reached is left out, and one that fails is told by its answer', async () => {
  const [well, ill] = [await service(), await service(503)]
  const gone = `http://127.0.0.1:${await freePort()}`
  const tick = await raisable({ targets: [[gone, well.url], [ill.url, well.url], [gone]] })
  const [status, answer] = await raise(tick)
  expect([status, answer]).toEqual([
    502,
    { event: 'shop/tick', told: 1, failed: ['it answered 503', expect.stringContaining('ECONNREFUSED')] },
  ])
  expect(well.messages).toHaveLength(1)
  expect(tick.output()).toContain(`cannot tell ${ill.url}: it answered 503`)
})

test('a port that is taken ends it', async () => {
  const { url } = await service()
  const tick = event({ targets: [[url]] }, Number(new URL(url).port))
  const [status] = (await once(tick.process, 'close')) as [number]
  expect([status, tick.output()]).toEqual([1, expect.stringContaining('EADDRINUSE')])
})
