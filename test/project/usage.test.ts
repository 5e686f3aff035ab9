import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'

const TOOLS = [
  'davit-normalize',
  'davit-delegate-build',
  'davit-manifest',
  'davit-distribute',
  'davit-lock',
  'davit-unlock',
  'davit-activate',
  'davit-set',
]
const READERS = TOOLS.filter((tool) => tool !== 'davit-normalize')

describe('what a user meets at the prompt', () => {
  let user: Coordinator
  beforeAll(async () => void (user = await coordinator({ processes: true })))
  afterAll(() => user?.remove())

  test.each([...TOOLS, 'davit-env'])('%s --help begins with a sentence and shows an example', async (tool) => {
    const { status, stdout, stderr } = await user.run([tool, '--help'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^[A-Za-z].*\n\nUsage: davit-/)
    expect(stdout).toContain('Example')
  })

  test.each([...TOOLS, 'davit-env'])('%s --version says which one it is', async (tool) => {
    const { status, stdout } = await user.run([tool, '--version'])
    expect([status, stdout]).toEqual([0, expect.stringMatching(/\d+\.\d+\.\d+/)])
  })

  test('every executable refuses an option that it does not have', async () => {
    const tools = readdirSync(join(inject('prefix'), 'bin'))
    expect(tools).toEqual(expect.arrayContaining(TOOLS))
    for (const tool of tools) {
      const { status, stdout, stderr } = await user.run([tool, '--no-such-option'])
      expect.soft([tool, status, stdout]).toEqual([tool, 64, ''])
      expect.soft([tool, stderr]).toEqual([tool, expect.stringContaining('no-such-option')])
      expect.soft([tool, stderr]).not.toEqual([tool, expect.stringMatching(/^\s+at /m)])
    }
  })

  test('davit runs the other tools, as git does', async () => {
    const { status, stdout } = await user.run(['davit', 'activate', '--version'])
    expect(status).toBe(0)
    expect(stdout).toBe((await user.run(['davit-activate', '--version'])).stdout)
    expect((await user.run(['davit', 'actvate'])).status).toBe(64)
  })

  test.each(READERS)('%s refuses a file that does not exist', async (tool) => {
    const { status, stderr } = await user.run([tool, 'missing.xml'])
    expect([status, stderr]).toEqual([66, expect.stringContaining("'missing.xml'")])
  })

  test('davit-normalize refuses a model that does not exist', async () => {
    const { status, stderr } = await user.run(['davit-normalize', '--undeploy', '-i', 'missing.yaml'])
    expect([status, stderr]).toEqual([66, expect.stringContaining("'missing.yaml'")])
  })

  test.each(READERS.filter((tool) => tool !== 'davit-unlock'))('%s refuses an empty pipe', async (tool) => {
    const { status, stdout, stderr } = await user.run([tool])
    expect([status, stdout]).toEqual([66, ''])
    expect(stderr).toContain('empty')
  })

  test('davit-manifest says where a document is wrong', async () => {
    const broken = '{ "document": "architecture", "version": 1,\n  "services": [}\n'
    const { status, stderr } = await user.run(['davit-manifest'], { input: broken })
    expect(status).toBe(65)
    expect(stderr).toMatch(/:2:16: error: /)
  })

  test('davit-activate says all that is wrong with a manifest, and where', async () => {
    await user.write(
      'wrong.xml',
      '<?xml version="1.0"?>\n<manifest version="2">\n  <infrastructure>\n    <target name="a/b"/>\n    <target name="c d"/>\n  </infrastructure>\n</manifest>\n',
    )
    const { status, stderr } = await user.run(['davit-activate', 'wrong.xml'])
    expect(status).toBe(65)
    expect(stderr).toMatch(/^wrong\.xml:4:\d+: error: /m)
    expect(stderr).toMatch(/^wrong\.xml:5:\d+: error: /m)
  })

  test('davit-normalize shows the wrong line of a model', async () => {
    await user.write('broken.yaml', 'web:\n  properties: { hostname: web1 }\n  numOfCores: many\n')
    const { status, stderr } = await user.run(['davit-normalize', '--undeploy', '-i', 'broken.yaml'])
    expect(status).toBe(65)
    expect(stderr).toMatch(/^broken\.yaml:3:\d+: error: /m)
    expect(stderr).toContain('numOfCores: many')
  })

  test('--output writes to what is no file without taking its place', async () => {
    await user.write('infrastructure.yaml', { here: { properties: { hostname: 'localhost' } } })
    const command = 'davit-normalize --undeploy -i infrastructure.yaml --output'
    const outcome = await user.bash(
      `mkfifo pipe; cat pipe & ${command} pipe; wait; [ -p pipe ] && ${command} /dev/stdout | cat`,
    )
    const { stdout } = succeeded(outcome)
    expect(stdout.match(/"document": *"architecture"/g)).toHaveLength(2)
  })

  test.each([
    ['a services model without a distribution', ['-s', 'services.yaml', '-i', 'infrastructure.yaml']],
    ['an infrastructure alone', ['-i', 'infrastructure.yaml']],
    ['no models at all', []],
    ['parameters that are no JSON', ['--undeploy', '-i', 'infrastructure.yaml', '--extra-params', '{']],
    ['an option without its value', ['-i']],
  ])('davit-env refuses %s', async (_, options) => {
    await user.write('infrastructure.yaml', { here: { properties: { hostname: 'localhost' } } })
    const { status, stderr } = await user.run(['davit-env', ...options])
    expect([status, stderr]).toEqual([64, expect.stringMatching(/davit-|hint: /)])
  })
})
