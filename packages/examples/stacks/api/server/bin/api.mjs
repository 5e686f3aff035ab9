#!/usr/bin/env node
import { createServer } from 'node:http'

const { PORT, PRICE, STORE } = process.env

async function answer() {
  const count = Number(await (await fetch(STORE)).text())
  const price = await (await fetch(`${PRICE}/?count=${count}`)).json()
  return { ...price, count }
}

createServer((request, response) => {
  answer().then(
    (value) => response.end(JSON.stringify(value)),
    (error) => response.writeHead(502).end(`${error.message}\n`),
  )
}).listen(PORT)
