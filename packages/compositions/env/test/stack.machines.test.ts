import { readFileSync, writeFileSync } from 'node:fs'

import { describe, expect, test } from 'vitest'

import { davitEnv } from './scene.ts'

describe('davit-env --stack', () => {
  const { nothingLeft, path, run, trace } = davitEnv()

  test('compiles the stack first, with what is deployed, and normalizes what that makes', async () => {
    const words = ['--stack', 'shop', '-c', 'test', '--no-replace', '-i', 'm.yaml', '--', 'greeting=hello', '-x']
    expect(await run(words)).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(trace().slice(0, 5)).toEqual([
      'generations current',
      'generations stack',
      'compile-stack cluster=test target=machines infrastructure=m.yaml noReplace stack=shop arguments=greeting=hello,-x',
      'normalize architecture=-: output of compile-stack',
      'manifest: output of normalize',
    ])
    nothingLeft()
  })

  test('hands on what the generation is made from, the stack included', async () => {
    await run(['--stack', 'shop'])
    const [tool, ...made] = (trace('.origin').at(-1) ?? '').split(': {')
    expect(tool).toBe('set')
    expect(JSON.parse(`{${made.join(': {')}`)).toMatchObject({
      order: { options: { stack: 'shop' } },
      stack: '<compile-stack>',
      models: [{ file: 'normalize' }],
      transition: { manifest: 'activate' },
    })
  })

  test('ends where the stack is refused', async () => {
    expect(await run(['--stack', '.'], { FAIL: 'compile-stack' })).toMatchObject({ status: 42 })
    expect(trace()).toHaveLength(3)
    nothingLeft()
  })

  test('-A - is an architecture model on standard input', async () => {
    writeFileSync(path('model.json'), '{ "services": {} }')
    const within = (argv: readonly string[]) => ['sh', '-c', `exec "$@" < ${path('model.json')}`, 'sh', ...argv]
    expect(await run(['-A', '-'], {}, within)).toMatchObject({ status: 0, stderr: '' })
    expect(trace()[0]).toBe(`normalize architecture=-: ${readFileSync(path('model.json'), 'utf8')}`)
  })

  test.each([
    [['--stack', 's', '-A', 'a'], "options '--stack' and '--architecture' cannot be combined"],
    [['--stack', 's', '-D', 'd'], "options '--stack' and '--deployment' cannot be combined"],
    [['--stack', 's', '--undeploy', '-i', 'i'], "options '--stack' and '--undeploy' cannot be combined"],
    [['--stack', 's', '--extra-params', '{}'], "options '--stack' and '--extra-params' cannot be combined"],
    [['--stack', 's', '--rollback'], "option '--rollback' cannot be combined with models"],
    [['--stack', 's', '-t', 'aws:ecs'], "davit cannot deploy stacks to 'aws'"],
    [['--stack='], "option '--stack' needs a value"],
    [['-A', 'a', '-c', 'test'], "option '--cluster' belongs to '--stack'"],
    [['-A', 'a', '-t', 'machines'], "option '--target' belongs to '--stack'"],
    [['-A', 'a', '--no-replace'], "option '--no-replace' belongs to '--stack'"],
    [['-A', 'a', '--', 'x=1'], "'x=1' is an argument of a stack"],
    [['--rollback', '--', 'x=1'], "'x=1' is an argument of a stack"],
    [['--stack', 's', 'x=1'], "unexpected operand 'x=1'"],
  ])('refuses %j', async (args, message) => {
    const { status, stderr } = await run(args)
    expect([status, stderr]).toEqual([64, expect.stringContaining(`davit-env: ${message} [usage]\nhint: `)])
    nothingLeft()
  })
})
