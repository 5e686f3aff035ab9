#!/usr/bin/env node
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

const { DATA, PORT } = process.env
const file = join(DATA, 'count')

function count() {
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
}

/** A reader never sees half a number. */
function add() {
  writeFileSync(`${file}.new`, `${count() + 1}\n`)
  renameSync(`${file}.new`, file)
}

createServer((request, response) => {
  request.resume()
  if (request.method === 'POST') add()
  response.end(`${count()}\n`)
}).listen(PORT)
