import { DavitError } from '@davit/diagnostics'
import { failureOf as refusalOf } from '@davit/diagnostics/testing'
import { patience, runs, tellFigure } from '@davit/testing/effort'
import { awkwardText } from '@davit/testing/hostile'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { defineTool, type Tool } from '../src/define-tool.ts'
import { parseArguments, type Request } from '../src/parse-arguments.ts'
import { sampleTool } from './sample-tool.ts'

describe('parseArguments() reads', () => {
  test.each([
    ['a long option', '--old-text a', { oldText: 'a' }],
    ['a long option with =', '--old-text=a=b', { oldText: 'a=b' }],
    ['a short option', '-o a', { oldText: 'a' }],
    ['a short option with its value attached', '-oa', { oldText: 'a' }],
    ['a short option with =', '-o=a', { oldText: 'a' }],
    ['short options in a bunch', '-qnm7', { quiet: true, dryRun: true, maxConcurrentTransfers: 7 }],
    ['a word attached to a bunch', '-qvpshop', { quiet: true, verbose: true, profile: 'shop' }],
    ['a path attached to a bunch', '-qo/a=b', { quiet: true, oldText: '/a=b' }],
    ['an empty value of a short option', '-o=', { oldText: '' }],
    ['the last of options given twice', '-o a -o b', { oldText: 'b' }],
    ['a value that looks like a number', '-o 1.10', { oldText: '1.10' }],
    ['a negative number as value', '-o -1', { oldText: '-1' }],
    ['a dash as value', '-o -', { oldText: '-' }],
    ['an empty value', '--old-text=', { oldText: '' }],
    ['a boolean', '--dry-run', { dryRun: true }],
    ['a negated boolean', '--no-rollback', { rollback: false }],
    ['a short boolean before an operand', '-n true', { dryRun: true, text: 'true' }],
    ['the last of contrary booleans', '--no-rollback --rollback', { rollback: true }],
    ['a list', '--tag a x --tag=b', { tag: ['a', 'b'], text: 'x' }],
    ['a choice', '--color green', { color: 'green' }],
    ['an operand', 'file', { text: 'file' }],
    ['an operand behind a boolean', '--dry-run true', { dryRun: true, text: 'true' }],
    ['an operand like a number', '007', { text: '007' }],
    ['an operand behind --', '-- -o', { text: '-o', oldText: undefined }],
    ['a dash as operand', '-', { text: '-' }],
    [
      'nothing',
      '',
      { rollback: true, dryRun: false, tag: [], profile: 'default', maxConcurrentTransfers: 4, text: undefined },
    ],
  ])('%s', (_, words, expected) => {
    expect(argsOf(sampleTool, words)).toMatchObject(expected)
  })

  test.each([
    ['a variable', { DAVIT_PROFILE: 'mine' }, '', 'mine'],
    ["the original's variable", { DISNIX_PROFILE: 'theirs' }, '', 'theirs'],
    ['the first of two', { DISNIX_PROFILE: 'theirs', DAVIT_PROFILE: 'mine' }, '', 'mine'],
    ['the option before the variable', { DAVIT_PROFILE: 'mine' }, '-p given', 'given'],
    ['the default for an empty variable', { DAVIT_PROFILE: '' }, '', 'default'],
  ])('%s', (_, environment, words, profile) => {
    expect(argsOf(sampleTool, words, environment)).toMatchObject({ profile })
  })

  test.each([
    ['1', true],
    ['yes', true],
    ['0', false],
    ['false', false],
  ])('a boolean variable that is %s', (value, dryRun) => {
    expect(argsOf(sampleTool, '', { DAVIT_DRY_RUN: value })).toMatchObject({ dryRun })
  })
})

describe('an option whose name begins with no-', () => {
  const describe = 'what it does'
  const tool = defineTool({
    name: 'davit-test',
    summary: 'Test',
    examples: [],
    instead: 'there are options for everything',
    options: { rollback: { type: 'boolean', describe }, 'no-rollback': { type: 'boolean', describe } },
    async run() {},
  })

  test.each([
    ['--rollback', { rollback: true, noRollback: false }],
    ['--no-rollback', { rollback: false, noRollback: true }],
    ['', { rollback: false, noRollback: false }],
  ])("'%s' is not the contrary of another one", (words, expected) => {
    expect(argsOf(tool, words)).toMatchObject(expected)
  })

  test('a tool without operands says what to use instead', () => {
    expect(() => argsOf(tool, 'file')).toThrow(
      expect.objectContaining({ message: "unexpected operand 'file'", hint: 'there are options for everything' }),
    )
  })
})

describe('parseArguments() refuses', () => {
  test.each([
    ['--dryrun', "unknown option '--dryrun'", "did you mean '--dry-run'?"],
    ['--no-rolback', "unknown option '--no-rolback'", "did you mean '--no-rollback'?"],
    ['--max', "unknown option '--max'", "did you mean '--max-concurrent-transfers'?"],
    ['--frobnicate x', "unknown option '--frobnicate'", 'see --help'],
    ['--oldText a', "unknown option '--oldText'", "did you mean '--old-text'?"],
    ['--__proto__ a', "unknown option '--__proto__'", 'see --help'],
    ['--_=a', "unknown option '--_'", 'see --help'],
    ['--no---', "unknown option '--no---'", 'see --help'],
    ['--no-_', "unknown option '--no-_'", 'see --help'],
    ['----', "unknown option '----'", 'see --help'],
    ['--a.b', "unknown option '--a.b'", 'see --help'],
    ['-x', "unknown option '-x'", 'usage: davit-sample [OPTION]... [TEXT]; see --help'],
    ['-1', "unknown option '-1'", 'usage: davit-sample [OPTION]... [TEXT]; see --help'],
    ['-qx.json', "unknown option '-x'", 'usage: davit-sample [OPTION]... [TEXT]; see --help'],
    ['-q7', "unknown option '-7'", 'usage: davit-sample [OPTION]... [TEXT]; see --help'],
    ['-_ a', "unknown option '-_'", 'usage: davit-sample [OPTION]... [TEXT]; see --help'],
    ['--q', "unknown option '--q'", 'see --help'],
    ['--dry-run\nx', "unknown option '--dry-run'", 'see --help'],
    ['-qx', "unknown option '-x'", 'usage: davit-sample [OPTION]... [TEXT]; see --help'],
    ['--no-old-text', "unknown option '--no-old-text'", 'see --help'],
    ['--dry-run=maybe', "option '--dry-run' takes no value", 'write --dry-run or --no-dry-run'],
    ['--no-dry-run=yes', "option '--no-dry-run' takes no value", 'write --dry-run or --no-dry-run'],
    ['-n=yes', "option '--dry-run' takes no value", 'write --dry-run or --no-dry-run'],
    ['-n=', "option '--dry-run' takes no value", 'write --dry-run or --no-dry-run'],
    ['--old-text', "option '--old-text' needs a value", 'see --help'],
    ['-qo', "option '--old-text' needs a value", 'see --help'],
    ['--tag=', "option '--tag' needs a value", 'see --help'],
    ['-o --dry-run', "option '--old-text' needs a value", 'see --help'],
    ['-m many', "option '--max-concurrent-transfers' cannot be 'many'", 'expected an integer from 1'],
    ['-m 0', "option '--max-concurrent-transfers' cannot be '0'", 'expected an integer from 1'],
    ['-m 1e3', "option '--max-concurrent-transfers' cannot be '1e3'", 'expected an integer from 1'],
    ['--color blue', "option '--color' cannot be 'blue'", 'expected one of red, green'],
    ['a b', "unexpected operand 'b'", 'the operands are [TEXT]'],
  ])('%s', (words, message, hint) => {
    expect(failureOf(sampleTool, words)).toMatchObject({ code: 'usage', exitStatus: 64, message, hint })
  })

  test('a variable that makes no sense, by its name', () => {
    const failure = failureOf(sampleTool, '', { DAVIT_MAX_CONCURRENT_TRANSFERS: 'x' })
    expect(failure.message).toBe("variable 'DAVIT_MAX_CONCURRENT_TRANSFERS' cannot be 'x'")
  })
})

describe('parseArguments() with operands', () => {
  const lock = toolWith({ manifest: 'to lock', command: { kind: 'command', describe: 'to run' } })
  const wrapper = toolWith({ command: { kind: 'command', describe: 'to run' } })
  const compile = toolWith({ words: { kind: 'arguments', describe: 'of the stack' } })
  const copy = toolWith({
    source: { kind: 'required', describe: 'where from' },
    targets: { kind: 'list', describe: 'where to' },
  })

  test.each([
    [
      'a command behind --',
      lock,
      'm.xml -q -- sh -c x -- y',
      { manifest: 'm.xml', quiet: true, command: ['sh', '-c', 'x', '--', 'y'] },
    ],
    ['a command without the other', lock, '-- ls', { manifest: undefined, command: ['ls'] }],
    ['no command', lock, 'm.xml', { manifest: 'm.xml', command: [] }],
    [
      'a command alone from its first word on',
      wrapper,
      '-q ls -v --help -- x',
      { quiet: true, verbose: false, command: ['ls', '-v', '--help', '--', 'x'] },
    ],
    ['a command whose words look like our options', wrapper, 'sh -qx -vx=1', { command: ['sh', '-qx', '-vx=1'] }],
    ['a command alone behind --', wrapper, '-- -strange', { command: ['-strange'] }],
    ['words behind -- alone', compile, '-q -- -a b', { quiet: true, words: ['-a', 'b'] }],
    ['required and list', copy, 'a b c', { source: 'a', targets: ['b', 'c'] }],
  ])('takes %s', (_, tool, words, expected) => {
    expect(argsOf(tool, words)).toMatchObject(expected)
  })

  test('refuses a word before -- where only those behind it are meant', () => {
    const failure = failureOf(compile, '-q a -- b')
    expect(failure).toMatchObject({
      message: "unexpected operand 'a'",
      hint: 'the operands are [-- WORDS...]; arguments follow --',
    })
    const instead = { ...compile, instead: 'name it' }
    expect(failureOf(instead, 'a')).toMatchObject({ hint: 'name it' })
    expect(failureOf(instead, 'a=b')).toMatchObject({ hint: 'arguments follow --: -- a=b' })
    expect(failureOf(instead, '--strange=b')).toMatchObject({ hint: 'see --help; arguments follow --' })
    expect(failureOf(copy, 'a b c --strange=b')).toMatchObject({ hint: 'see --help' })
  })

  test.each(['-1', '-q -1'])('refuses %s where a command is expected', (words) => {
    expect(failureOf(wrapper, words)).toMatchObject({ message: "unknown option '-1'" })
  })

  test('refuses a missing one', () => {
    expect(failureOf(copy, '')).toMatchObject({ message: 'missing operand SOURCE', hint: 'where from' })
  })
})

test.each([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
])('parseArguments() takes %s without what is required', (word, kind) => {
  const tool = toolWith({ source: { kind: 'required', describe: 'where from' } })
  expect(requestOf(tool, word).kind).toBe(kind)
})

function toolWith(operands: Tool['operands'] & object): Tool {
  return defineTool({ name: 'davit-test', summary: 'Test', examples: [], operands, async run() {} })
}

function requestOf(tool: Tool, words: string, environment: Record<string, string> = {}): Request {
  return parseArguments(tool, { argv: words === '' ? [] : words.split(' '), environment })
}

function argsOf(tool: Tool, words: string, environment?: Record<string, string>) {
  const request = requestOf(tool, words, environment)
  if (request.kind !== 'run') throw new Error(`unexpected ${request.kind}`)
  return request.args
}

function failureOf(tool: Tool, words: string, environment?: Record<string, string>): DavitError {
  try {
    requestOf(tool, words, environment)
  } catch (error) {
    if (error instanceof DavitError) return error
    throw error
  }
  throw new Error('accepted')
}

describe('whatever stands on a command line or in the environment', patience, () => {
  let inputs = 0
  afterAll(() => tellFigure(`command lines and environments: ${inputs} inputs, each read or refused as usage`))

  test('it is read, or an error of usage', () => {
    const names = Object.keys(sampleTool.options ?? {})
    const known = fc.constantFrom(
      ...names.flatMap((name) => [`--${name}`, `--no-${name}`, `--${name}=`]),
      '-',
      '--',
      '-x',
      '-p',
    )
    const odd = fc.constantFrom(
      '__proto__',
      '--__proto__',
      '--__proto__.x=1',
      '--constructor',
      '--toString=1',
      '--a.b',
      '-xyz',
      '--=',
      '---',
    )
    const word = fc.oneof(known, odd, awkwardText)
    const variables = fc.dictionary(fc.constantFrom('DAVIT_DRY_RUN', 'DAVIT_PROFILE', '__proto__'), awkwardText)
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), variables, (argv, environment) => {
        inputs += 1
        const error = refusalOf(() => parseArguments(sampleTool, { argv, environment }))
        expect([undefined, 64]).toContain(error?.exitStatus)
      }),
      runs(150),
    )
  })
})
