#!/usr/bin/env node
import { createServer } from 'node:http'
import { hostname } from 'node:os'

const { API, GREETING, HOUSE, PORT } = process.env

createServer(async (request, response) => {
  const { count, price } = await (await fetch(API)).json()
  response.end(`${GREETING} at ${HOUSE}: ${count} things for ${price}, says ${hostname()}\n`)
}).listen(PORT)
