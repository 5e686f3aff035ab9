// Tells services on other targets that it is time: node main.mjs SETTINGS. The settings are JSON: event, schedule, port, payload, and for
// each service that is told the URLs of its places.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { nextTime, parseSchedule } from './schedule.mjs'

const PATIENCE_MILLISECONDS = 30_000

/** Timers cannot wait longer than 24 days. */
const LONGEST_WAIT_MILLISECONDS = 24 * 60 * 60 * 1000

/** With these, nobody has got anything. */
const UNREACHED = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
])

const { event, schedule, port, payload, targets } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const turns = targets.map(() => 0)

if (schedule !== undefined) awaitNext(parseSchedule(schedule), Date.now())
if (port !== undefined) createServer((request, response) => void answer(request, response)).listen(port)

/** Waits until the next moment of a schedule. What is not told in time is told late, and what was missed meanwhile is left out. */
function awaitNext(parsed, after) {
  const due = nextTime(parsed, after)
  const wait = () => {
    const left = due - Date.now()
    if (left > 0) setTimeout(wait, Math.min(left, LONGEST_WAIT_MILLISECONDS))
    else void tellAll(due).finally(() => awaitNext(parsed, Math.max(due, Date.now())))
  }
  wait()
}

async function answer(request, response) {
  request.resume()
  if (request.method !== 'POST') {
    response.writeHead(405, { allow: 'POST' }).end()
    return
  }
  const failed = await tellAll(Date.now())
  response.writeHead(failed.length === 0 ? 200 : 502, { 'content-type': 'application/json' })
  response.end(`${JSON.stringify({ event, told: targets.length - failed.length, failed })}\n`)
}

/** Tells all services, and returns why some could not be told. */
async function tellAll(time) {
  const message = { event, time: new Date(time).toISOString(), payload: payload ?? null }
  const body = JSON.stringify(message)
  const outcomes = await Promise.all(targets.map((places, index) => tell(places, { index, body })))
  return outcomes.filter((problem) => problem !== undefined)
}

/** Tells one place of a service, each in turn; the next one if it cannot be reached, so that no service is told twice. */
async function tell(places, { index, body }) {
  const first = turns[index]
  turns[index] = (first + 1) % places.length
  let outcome = {}
  for (let count = 0; count < places.length; count += 1) {
    const url = places[(first + count) % places.length]
    outcome = await post(url, body)
    if (outcome.problem === undefined) return undefined
    console.error(`cannot tell ${url}: ${outcome.problem}`)
    if (outcome.isReached) break
  }
  return outcome.problem
}

async function post(url, body) {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MILLISECONDS)
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
    await response.body?.cancel()
    return response.ok ? {} : { problem: `it answered ${response.status}`, isReached: true }
  } catch (error) {
    const { code, message } = error.cause ?? error
    return { problem: message || code, isReached: !UNREACHED.has(code) }
  }
}
