import { runHere } from '@davit/tool/testing'
import { describe, expect, test } from 'vitest'

import { tool } from '../src/main.ts'
import { davitEnv, MODELS } from './scene.ts'

describe('davit-env', () => {
  const { nothingLeft, path, run: runAsProcess } = davitEnv()
  /** Runs davit-env in this process, since it is refused before it has steps. */
  const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    runHere(tool, args, {
      environment: { PATH: '/usr/bin:/bin', TMPDIR: path('tmp'), DAVIT_STATE_DIR: path('state'), ...environment },
      directory: path(),
    })

  const BOTH = 'the infrastructure model (-i) and the distribution model (-d) are missing'
  test.each([
    ['-s s', BOTH, '-s, -i and -d belong together'],
    ['--services=s --dry-run', BOTH, '-s, -i and -d belong together'],
    ['-s s -i i -P p', 'the distribution model (-d) is missing', '-s, -i and -d belong together'],
    ['-id -di', 'the services model (-s) is missing', '-s, -i and -d belong together'],
    ['-P p', 'the infrastructure model (-i) is missing', '-P needs the infrastructure model as well'],
    ['--undeploy', 'the infrastructure model (-i) is missing', '--undeploy needs the infrastructure model as well'],
    ['-i i', 'an infrastructure model alone deploys nothing', 'add -s and -d, or -P'],
    ['--store nix', 'no models', 'pass -s, -i and -d'],
  ])('%s is refused, with what is missing', async (words, message, hint) => {
    const { status, stderr } = await run(words.split(' '))
    expect([status, stderr]).toEqual([64, expect.stringContaining(`davit-env: ${message} [usage]\nhint: ${hint}`)])
  })

  test.each([
    ['DAVIT_LOCK_LEASE', '1m'],
    ['DAVIT_ANSWER_TIMEOUT', '0'],
    ['DAVIT_STATE_DIR', 'state'],
    ['DAVIT_SKIP_UNREACHABLE', 'maybe'],
    ['DAVIT_USE_SUBSTITUTES', 'maybe'],
  ])('a wrong %s, which later steps read, is refused before anything is built', async (variable, value) => {
    const { status, stderr } = await run(MODELS, { [variable]: value })
    expect([status, stderr]).toEqual([
      64,
      expect.stringMatching(`^davit-env: .*${variable}.*'${value}' \\[(usage|no-state-directory)\\]\nhint: `),
    ])
  })

  test.each([
    [['-D', 'd', ...MODELS], "option '--deployment' cannot be combined with models"],
    [
      ['-D', 'd', '--build-on-targets'],
      "option '--build-on-targets' needs models: the packages of '--deployment' are already built",
    ],
    [['--rollback', '-A', 'a'], "option '--rollback' cannot be combined with models"],
    [['-D', 'd', '--list-generations'], "option '--list-generations' cannot be combined with models"],
    [['--rollback', '--build-on-targets'], "option '--rollback' cannot be combined with models"],
    [['--rollback', '--abandon', 'web'], "options '--abandon' and '--rollback' cannot be combined"],
    [['--switch-to-generation', '1', '--store=nix'], "option '--switch-to-generation' cannot be combined with models"],
    [['-p', '', '--undeploy', '-i', 'i'], "option '--profile' needs a value"],
    [['--profile=', '--list-generations'], "option '--profile' needs a value"],
    [['--abandon', '', ...MODELS], "option '--abandon' needs a value"],
    [['--plan', 'p', ...MODELS], "option '--plan' cannot be combined with models"],
    [['--plan', 'p', '--rollback'], "options '--plan' and '--rollback' cannot be combined"],
    [['--plan', ''], "option '--plan' needs a value"],
    [
      ['--rollback', '--switch-to-generation', '2'],
      "options '--switch-to-generation' and '--rollback' cannot be combined",
    ],
    [
      ['--delete-generations=old', '--dry-run'],
      "option '--dry-run' shows what a deployment would do, not what '--delete-generations' would do",
    ],
  ])('refuses %j', async (args, message) => {
    const { status, stderr } = await run(args)
    expect([status, stderr]).toEqual([64, `davit-env: ${message} [usage]\nhint: davit-env --help shows the options\n`])
    nothingLeft()
  })

  test.each([
    [['--delete-state', '--no-migration', ...MODELS], '--delete-state', '--no-migration'],
    [['--delete-state', '--repair', ...MODELS], '--delete-state', '--repair'],
    [['--confirm', '60', '--no-lock', ...MODELS], '--confirm', '--no-lock'],
    [['--confirm', '60', '--no-rollback', ...MODELS], '--confirm', '--no-rollback'],
    [['--confirm', '60', '--delete-state', ...MODELS], '--confirm', '--delete-state'],
    [['--confirm', '60', '--abandon=web', ...MODELS], '--confirm', '--abandon'],
    [['--plan', 'p', '--no-upgrade'], '--plan', '--no-upgrade'],
    [['--plan', 'p', '--on', 'web'], '--plan', '--on'],
    [['--plan', 'p', '--delete-state'], '--plan', '--delete-state'],
  ])('refuses options of %j that exclude each other', async (args, option, other) => {
    const message = `options '${option}' and '${other}' cannot be combined`
    const { status, stderr } = await run(args)
    expect([status, stderr]).toEqual([64, `davit-env: ${message} [usage]\nhint: omit one of them\n`])
    nothingLeft()
  })

  test.each([
    [['--nonsense'], "unknown option '--nonsense'", 'see --help'],
    [['-s'], "option '--services' needs a value", 'see --help'],
    [['-A', 'a', '--store'], "option '--store' needs a value", 'see --help'],
    [['--dry-run=yes', ...MODELS], "option '--dry-run' takes no value", 'write --dry-run'],
    [['--no-rollback=yes', ...MODELS], "option '--no-rollback' takes no value", 'write --no-rollback'],
    [['-m', 'zero', ...MODELS], "option '--max-concurrent-transfers' cannot be 'zero'", 'expected an integer from 1'],
    [['-j', '0', ...MODELS], "option '--max-jobs' cannot be '0'", 'expected an integer from 1'],
    [['-j', '', ...MODELS], "option '--max-jobs' cannot be ''", 'expected an integer from 1'],
    [
      ['--activity-timeout', '1m', ...MODELS],
      "option '--activity-timeout' cannot be '1m'",
      'expected an integer from 1',
    ],
    [['--switch-to-generation', ''], "option '--switch-to-generation' cannot be ''", 'expected an integer from 1'],
    [['--switch-to-generation=1x'], "option '--switch-to-generation' cannot be '1x'", 'expected an integer from 1'],
    [['--switch-to-generation=0'], "option '--switch-to-generation' cannot be '0'", 'expected an integer from 1'],
    [['--abandon', 'a b'], "option '--abandon' cannot be 'a b'", 'expected a name, a key or NAME@TARGET'],
    [['--undepoly'], "unknown option '--undepoly'", "did you mean '--undeploy'?"],
    [['--switch'], "unknown option '--switch'", "did you mean '--switch-to-generation'?"],
    [['services.yaml'], "unexpected operand 'services.yaml'", 'models and manifests are given with options'],
    [['--dry-run'], 'no models', 'pass -s, -i and -d'],
    [['--log-format=xml'], "option '--log-format' cannot be 'xml'", 'expected one of text, json'],
  ])('refuses %j, and says what to do', async (args, message, hint) => {
    const { status, stderr } = await run(args)
    expect([status, stderr]).toEqual([64, expect.stringContaining(`davit-env: ${message} [usage]\nhint: ${hint}`)])
  })

  test.each([
    ['my shop', "'my shop' is not a valid name for a deployment: "],
    ['a'.repeat(201), 'is not a valid name for a deployment: a profile name must be at most 200 bytes long'],
  ])('refuses the name %s', async (name, message) => {
    expect(await run(['-p', name, ...MODELS])).toMatchObject({ status: 64, stderr: expect.stringContaining(message) })
  })

  test('says that a place for temporary files does not exist', async () => {
    const { status, stderr } = await runAsProcess(MODELS, { TMPDIR: path('none') })
    expect([status, stderr]).toEqual([73, expect.stringContaining(`there is no directory '${path('none')}'`)])
  })

  test.each(['--log-format json', '--log-format=json'])(
    'tells programs what is wrong as tools do (%s)',
    async (format) => {
      const { stderr } = await runAsProcess(['--no"\\\n', ...format.split(' ')])
      expect(JSON.parse(stderr)).toMatchObject({
        kind: 'error',
        tool: 'davit-env',
        code: 'usage',
        message: `unknown option '--no"\\'`,
        exitStatus: 64,
        hint: 'see --help; arguments follow --',
      })
    },
  )
})
