// The API between page and store: GET /entries returns the entries, newest first; POST /entries adds one.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const { port, upstream } = JSON.parse(readFileSync(new URL('./config.json', import.meta.url), 'utf8'))

createServer(async (request, response) => {
  response.setHeader('content-type', 'application/json')
  try {
    const body = request.method === 'POST' ? { method: 'POST', body: await text(request) } : {}
    const answer = await fetch(upstream, body)
    response.end(JSON.stringify({ entries: (await answer.json()).toReversed() }))
  } catch (error) {
    response.statusCode = 502
    response.end(JSON.stringify({ error: String(error.cause ?? error) }))
  }
}).listen(port)

async function text(request) {
  let all = ''
  for await (const chunk of request) all += chunk
  return all
}
