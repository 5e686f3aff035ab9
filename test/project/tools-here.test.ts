import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator } from '../harness/coordinator.ts'
import { runHere } from '../harness/run-here.ts'
import { eventually } from '@davit/testing/wait'

describe('a tool that is called in the process of a test', () => {
  let user: Coordinator
  beforeAll(async () => {
    user = await coordinator()
    const here = { clientInterface: 'local', properties: { hostname: 'localhost' }, containers: { echo: {} } }
    await user.write('app/readme', 'x')
    await user.write('services.json', { web: { type: 'echo', pkg: { source: './app' } } })
    await user.write('infrastructure.json', { here })
    await user.write('distribution.json', { web: ['here'] })
    await user.write('broken.json', '{')
  })
  afterAll(() => user?.remove())

  test.each([
    ['davit-env', '--dry-run', '-s', 'services.json', '-i', 'infrastructure.json', '-d', 'distribution.json'],
    ['davit-normalize', '--undeploy', '-i', 'infrastructure.json'],
    ['davit-normalize', '--undeploy', '-i', 'broken.json'],
    ['davit-generations'],
    ['davit-query', '--no-such-option'],
    ['davit-manifest'],
  ])('prints and returns what a process does: %s %s', async (...argv) => {
    expect(await user.run(argv)).toEqual(await user.run(argv, { process: true }))
  })
})

describe('the process of a test', () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'davit-here-')))
  afterAll(() => rmSync(directory, { recursive: true }))

  /** Calls a program whose body prints what it returns, and then exits with 3. */
  async function call(body: string, input = '') {
    const program = join(directory, `program${readdirSync(directory).length}`)
    const text = `const value = await (async () => { ${body} })(); process.stdout.write(JSON.stringify(value) ?? ''); process.exit(3)`
    writeFileSync(`${program}.js`, `(function (exports, require, module) { (async () => { ${text} })() })`)
    const environment = { PATH: process.env['PATH'] ?? '', ONLY: 'here', TMPDIR: '/elsewhere' }
    const outcome = await runHere({ program, words: ['one', 'two'], directory, environment, input })
    expect([outcome.status, outcome.stderr]).toEqual([3, ''])
    return (outcome.stdout === '' ? undefined : JSON.parse(outcome.stdout)) as unknown
  }

  const listeners = () => process.eventNames().map((name) => [name, process.listenerCount(name)])
  const files = () => readdirSync('/proc/self/fd').map((name) => Number(name))
  const isGone = (pid: unknown) => {
    try {
      return readFileSync(`/proc/${String(pid)}/stat`, 'utf8').includes(') Z ')
    } catch {
      return true
    }
  }

  test('is hidden from a tool: arguments, environment, directories and input are its own', async () => {
    const body = `let input = ''
      for await (const part of process.stdin) input += part
      const child = require('node:child_process').spawn('sh', ['-c', 'echo "$ONLY $PWD $HOME"'])
      let output = ''
      for await (const part of child.stdout) output += part
      return [process.argv.slice(2), Object.keys(process.env), process.cwd(), require('node:os').tmpdir(), input, output]`
    expect(await call(body, 'text')).toEqual([
      ['one', 'two'],
      ['PATH', 'ONLY', 'TMPDIR'],
      directory,
      '/elsewhere',
      'text',
      `here ${directory} \n`,
    ])
  })

  test('keeps its directory, variables and listeners', async () => {
    const before = [process.cwd(), { ...process.env }, process.getMaxListeners(), listeners()]
    await call(`process.env.ONLY = 'changed'
      process.on('exit', () => {}).on('SIGTERM', () => {}).setMaxListeners(99)
      process.getBuiltinModule('node:v8').setFlagsFromString('--no-such-flag')`)
    expect([process.cwd(), { ...process.env }, process.getMaxListeners(), listeners()]).toEqual(before)
  })

  test('is another one than that of a tool, which has ended when the tool has', async () => {
    const pid = await call('return process.pid')
    expect(pid).not.toBe(process.pid)
    await eventually('the end of the process', () => isGone(pid))
  })

  test('hears of a tool that ends, and only then', async () => {
    await call(
      `process.on('exit', (status) => require('node:fs').writeFileSync('${directory}/exited', String(status)))`,
    )
    expect(readFileSync(join(directory, 'exited'), 'utf8')).toBe('3')
  })

  test('evaluates all modules of a program again', async () => {
    const body = 'globalThis.count = undefined; require.known = (require.known ?? 0) + 1; return require.known'
    expect([await call(body), await call(body)]).toEqual([1, 1])
  })

  test('closes files, connections and timers that a tool leaves open', async () => {
    const before = files()
    const left = `const [fs, net] = [require('node:fs'), require('node:net')]
      fs.openSync('/dev/null', 'r')
      await require('node:fs/promises').open('/dev/null')
      const mark = () => fs.writeFileSync('${directory}/marked', '')
      setTimeout(mark, 1); setInterval(mark, 1); setImmediate(mark)
      void require('node:timers/promises').setTimeout(1).then(mark)
      const child = require('node:child_process').spawn('cat')
      child.on('exit', mark)
      return child.pid`
    const pid = await call(left)
    // A program that reads what it left open ends.
    await eventually('the end of the program', () => isGone(pid))
    await eventually('the end of what was opened', () => files().length <= before.length)
    expect(readdirSync(directory)).not.toContain('marked')
  })

  test('is left by a program that fails as it begins', async () => {
    const program = join(directory, 'broken')
    writeFileSync(`${program}.js`, "(function () { throw new Error('broken') })")
    const outcome = await runHere({ program, words: [], directory, environment: {}, input: '' })
    expect(outcome).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(/^Error: broken\n/) as string })
    expect(process.cwd()).not.toBe(directory)
  })

  test.each([
    ['gives its streams to a program', "require('node:child_process').spawn('true', [], { stdio: 'inherit' })"],
    ['waits for a program', "require('node:child_process').spawnSync('true')"],
    ['listens', "require('node:net').createServer()"],
  ])('is refused to a tool that %s', async (_, body) => {
    expect(await call(`try { ${body} } catch (error) { return error.message }`)).toContain('needs a process of its own')
  })
})
