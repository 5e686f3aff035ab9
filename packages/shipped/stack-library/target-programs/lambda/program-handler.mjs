import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'

/** Runs a program of the working directory for each request, with its body on standard input. What it prints is the answer. */
export function programHandler(name) {
  const program = [resolve('bin', name), resolve(name)].find(isProgram)
  if (program === undefined) {
    console.error(`cannot find the handler '${name}': there is no such program in '${process.cwd()}' or its 'bin'`)
    process.exit(1)
  }
  return ({ method, url, body }, signal) => run(program, [method, url], { body, signal })
}

function isProgram(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true && (stat.mode & 0o111) !== 0
}

function run(program, words, { body, signal }) {
  return new Promise((done, refuse) => {
    const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'], signal })
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stdin.on('error', () => {}) // A program need not read what it gets.
    child.stdin.end(body)
    child.on('error', refuse)
    child.on('close', (status, killer) => {
      if (status !== 0) refuse(new Error(`'${program}' ended with ${killer ?? `status ${status}`}`))
      else done({ headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.concat(chunks) })
    })
  })
}
