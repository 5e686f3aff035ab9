// Serves a function over HTTP on a target: node main.mjs PORT RUNTIME HANDLER, in the directory of the function.
import { createServer } from 'node:http'
import { answerOf } from './answer.mjs'
import { moduleHandler } from './module-handler.mjs'
import { programHandler } from './program-handler.mjs'

const MAX_BODY_BYTES = 16 * 1024 * 1024

const [port, runtime, name] = process.argv.slice(2)
const call = runtime === 'node' ? await moduleHandler(name) : programHandler(name)
const waiting = new Set()

const server = createServer((request, response) => {
  waiting.add(response)
  response.on('close', () => waiting.delete(response))
  serve(request, response).catch((error) => fail(response, error))
})
server.on('error', (error) => {
  console.error(error.message)
  process.exit(1)
})
server.listen(Number(port))

// Work that a function has begun without waiting for it belongs to one of the requests that are open.
process.on('uncaughtException', (error) => {
  if (waiting.size === 0) console.error(error)
  for (const response of waiting) fail(response, error)
})

process.on('SIGTERM', () => {
  server.close(() => process.exit())
  server.closeIdleConnections()
})

async function serve(request, response) {
  const body = await bodyOf(request)
  if (body === undefined) {
    response.writeHead(413, { connection: 'close' }).end()
    return
  }
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const { status, headers, content } = answerOf(await call(requestOf(request, body), gone.signal))
  if (!response.destroyed && !response.headersSent) response.writeHead(status, headers).end(content)
}

async function bodyOf(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function requestOf({ method, url, headers }, body) {
  const end = url.includes('?') ? url.indexOf('?') : url.length
  const [path, text] = [url.slice(0, end), url.slice(end + 1)]
  return { method, path, query: Object.fromEntries(new URLSearchParams(text)), headers, body, url }
}

function fail(response, error) {
  console.error(error)
  if (response.headersSent) response.destroy()
  else response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end('the function failed\n')
}
