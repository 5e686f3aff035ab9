#!/usr/bin/env node
import { createServer } from 'node:http'
import { hostname } from 'node:os'

const { API, GREETING, PORT } = process.env

createServer(async (request, response) => {
  const { count, price } = await (await fetch(API)).json()
  response.end(`${GREETING.toUpperCase()}! ${count} FOR ${price} (${hostname()})\n`)
}).listen(PORT)
