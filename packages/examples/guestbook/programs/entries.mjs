// The store of entries: a file with one JSON entry per line. GET / lists them, POST / adds the text of the body.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

const { port } = JSON.parse(readFileSync(new URL('./config.json', import.meta.url), 'utf8'))
const directory = process.env.dataDirectory ?? '/var/lib/guestbook'
const file = join(directory, 'entries')
const MAX_ENTRY = 1000

mkdirSync(directory, { recursive: true })

function entries() {
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    : []
}

createServer(async (request, response) => {
  if (request.method === 'POST') {
    let text = ''
    for await (const chunk of request) text = (text + chunk).slice(0, MAX_ENTRY)
    appendFileSync(file, `${JSON.stringify(text)}\n`)
  }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(entries()))
}).listen(port)
