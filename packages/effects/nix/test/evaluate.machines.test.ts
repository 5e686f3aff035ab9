import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { DavitError, renderDiagnostic, type ReportEvent } from '@davit/diagnostics'
import { Float } from '@davit/languages'
import { noPrivateNix, privateNixOfFile, privateNix } from '@davit/testing/private-nix'
import { noSmallDisk, smallDisk } from '@davit/testing/small-disk'
import { expect, test, onTestFinished } from 'vitest'
import { evaluate } from '../src/nix.ts'

const nix = privateNixOfFile()
const here = fileURLToPath(new URL('evaluate', import.meta.url))
const directory = `${here}/of the user`

interface Options {
  readonly file?: string
  readonly parameters?: string
  readonly showTrace?: boolean
  readonly store?: 'read-only' | 'read-write'
  readonly report?: (event: ReportEvent) => void
}

function evaluateAttribute(attribute: string, { file = 'values.nix', ...options }: Options = {}): Promise<unknown> {
  const { parameters, showTrace = false, store = 'read-only', ...others } = options
  const program = {
    file: `${here}/glue/program.nix`,
    input: { file: `${directory}/${file}`, attribute },
    expressions: new Map(parameters === undefined ? [] : [['parameters', parameters]]),
    showTrace,
    showFile: (name: string) => name.replace(`${directory}/`, './'),
  }
  return evaluate({ program, store, environment: nix.environment, ...others })
}

async function complaintOf(attribute: string, options: Options = {}): Promise<string> {
  const error: unknown = await evaluateAttribute(attribute, { file: 'model.nix', ...options }).catch((e: unknown) => e)
  if (!(error instanceof DavitError)) throw error
  expect([error.code, error.exitStatus]).toEqual(['invalid-model', 65])
  return error.diagnostics.map(renderDiagnostic).join('\n').replaceAll(directory, 'DIRECTORY')
}

test.skipIf(noPrivateNix)(
  'evaluate() tells errors where the user wrote what fails, and nothing of the program',
  async () => {
    const names =
      'undefined several thrown aborted added call imported absent endless recursive unicode asserted problems'
    const complaints = await Promise.all(names.split(' ').map((attribute) => complaintOf(attribute)))
    await expect(`${complaints.join('\n\n')}\n`).toMatchFileSnapshot('evaluate/errors.txt')
  },
)

test.skipIf(noPrivateNix)('evaluate() shows the whole trace when it is asked for', async () => {
  const complaint = await complaintOf('imported', { showTrace: true })
  expect(complaint).toContain("attribute 'imported': syntax error")
  expect(complaint).toMatch(/… while evaluating the attribute 'imported' at \S* ?\S* ?\S*model.nix:11:3/)
})

test.skipIf(noPrivateNix)('evaluate() reports errors in an expression under its name', async () => {
  expect(await complaintOf('asserted', { parameters: '{ port = 80 + nothing; }' })).toBe(
    ["parameters:1:15: error: undefined variable 'nothing'", '  { port = 80 + nothing; }', '                ^'].join(
      '\n',
    ),
  )
})

test.skipIf(noPrivateNix)('evaluate() writes nothing unless it is told to, or has to build', async () => {
  const [path] = Object.keys((await evaluateAttribute('context')) as object)
  expect(nix.shell('test -e "$1" || echo absent', path ?? '')).toBe('absent\n')
  await evaluateAttribute('context', { store: 'read-write' })
  expect(nix.shell('test -e "$1" && echo present', path ?? '')).toBe('present\n')
  expect(await evaluateAttribute('imported')).toEqual([1, 2])
})

test.skipIf(noPrivateNix)('evaluate() passes expressions on, and reports traces of the program', async () => {
  const events: ReportEvent[] = []
  const report = (event: ReportEvent) => events.push(event)
  expect(await evaluateAttribute('traced', { parameters: '{ port = 8080; }', report })).toBe(8080)
  expect(events).toMatchObject([{ kind: 'note', code: 'nix-trace', message: 'seen 8080' }])
})

test.skipIf(noPrivateNix)('evaluate() passes numbers and names unchanged', async () => {
  const table = new Map<string, unknown>([
    ['__proto__', new Float(1)],
    ['a.b "c"', [1, 0.30000000000000004, new Float(1e300), Number.MAX_SAFE_INTEGER]],
  ])
  const program = { file: `${here}/glue/types.nix`, input: { table }, expressions: new Map(), showTrace: false }
  expect(await evaluate({ program, store: 'read-only', environment: nix.environment })).toEqual({
    names: ['__proto__', 'a.b "c"'],
    types: ['float', ['int', 'float', 'float', 'int']],
    exact: [true, true],
  })
})

test('evaluate() reports that Nix is missing', async () => {
  const program = { file: `${here}/glue/program.nix`, input: {}, expressions: new Map(), showTrace: false }
  await expect(evaluate({ program, store: 'read-only', environment: { PATH: here } })).rejects.toMatchObject({
    code: 'nix-not-found',
  })
})

test('evaluate() is interrupted by its signal', async () => {
  const reason = new Error('stop')
  const options = { environment: nix.environment, signal: AbortSignal.abort(reason) }
  const program = { file: `${here}/glue/program.nix`, input: {}, expressions: new Map(), showTrace: false }
  await expect(evaluate({ program, store: 'read-only', ...options })).rejects.toBe(reason)
})

test.skipIf(noPrivateNix ?? noSmallDisk)('evaluate() blames no model for a disk that is full', async () => {
  const [full, disk] = [privateNix(), smallDisk(1024 * 1024)]
  onTestFinished(() => {
    spawnSync('umount', ['-l', full.place('nix')])
    disk.remove()
    full.remove()
  })
  spawnSync('mount', ['--bind', disk.directory, full.place('nix')])
  disk.fill()
  const program = {
    file: `${here}/glue/types.nix`,
    input: { table: new Map() },
    expressions: new Map(),
    showTrace: false,
  }
  await expect(evaluate({ program, store: 'read-write', environment: full.environment })).rejects.toMatchObject({
    code: 'cannot-use-store',
    exitStatus: 73,
    hint: expect.stringContaining('free some space'),
    diagnostics: [{ message: expect.stringMatching(/no space left|disk is full/i) }],
  })
})
