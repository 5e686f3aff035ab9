// The page: shows the entries of the API and has a form for a new one.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const { port, upstream } = JSON.parse(readFileSync(new URL('./config.json', import.meta.url), 'utf8'))

createServer(async (request, response) => {
  try {
    if (request.method === 'POST') {
      const entry = new URLSearchParams(await text(request)).get('entry') ?? ''
      await fetch(`${upstream}/entries`, { method: 'POST', body: entry })
      response.writeHead(303, { location: '/' }).end()
      return
    }
    const { entries } = await (await fetch(`${upstream}/entries`)).json()
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(render(entries))
  } catch (error) {
    response
      .writeHead(502, { 'content-type': 'text/plain' })
      .end(`no answer from ${upstream}: ${error.cause ?? error}\n`)
  }
}).listen(port)

function render(entries) {
  const items = entries.map((entry) => `    <li>${escape(entry)}</li>\n`).join('')
  return `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Guestbook</title></head>
  <body>
    <h1>Guestbook</h1>
    <form method="post"><input name="entry" aria-label="entry" required><button>Sign</button></form>
    <ul>
${items}    </ul>
  </body>
</html>
`
}

function escape(value) {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

async function text(request) {
  let all = ''
  for await (const chunk of request) all += chunk
  return all
}
