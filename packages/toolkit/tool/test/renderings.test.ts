import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { renderCompletion } from '../src/render-completion.ts'
import { renderHelp } from '../src/render-help.ts'
import { renderManPage } from '../src/render-man-page.ts'
import { version } from '../src/version.ts'
import { sampleTool } from './sample-tool.ts'

test.each([
  ['sample.help', renderHelp(sampleTool)],
  ['sample.1', renderManPage(sampleTool).replace(version, 'VERSION')],
  ['sample.bash', renderCompletion(sampleTool, 'bash')],
  ['sample.zsh', renderCompletion(sampleTool, 'zsh')],
  ['sample.fish', renderCompletion(sampleTool, 'fish')],
])('%s is rendered from the table', async (file, text) => {
  await expect(text).toMatchFileSnapshot(`golden/${file}`)
})

test('renderHelp() begins with a sentence and examples', () => {
  const [sentence, usage, examples] = renderHelp(sampleTool).split('\n\n')
  expect(sentence).toBe('Copy text from here to there.')
  expect(usage).toBe('Usage: davit-sample [OPTION]... [TEXT]')
  expect(examples).toMatch(/^Examples:\n {2}davit-sample text/)
})

test('a tool that works in several ways has a usage line for each', () => {
  const tool = { ...sampleTool, usage: ['-a A', '-b B'] }
  expect(renderHelp(tool)).toContain('\n\nUsage: davit-sample -a A\n       davit-sample -b B\n\n')
  expect(renderManPage(tool)).toContain('\\fBdavit\\-sample\\fR \\-a A\n.br\n\\fBdavit\\-sample\\fR \\-b B\n')
})

test('renderHelp() shows what was found on the machine', () => {
  expect(renderHelp(sampleTool, { title: 'Tools', rows: [['x', 'does x']] })).toContain('\nTools:\n  x  does x\n')
})

test.each([
  ['an option', ['davit-sample', '--ol'], ['--old-text']],
  ['a choice', ['davit-sample', '--color', 'g'], ['green']],
  ['a choice behind =', ['davit-sample', '--log-format', '=', 'j'], ['json']],
])('renderCompletion() completes %s in bash', (_, words, expected) => {
  const output = completed(renderCompletion(sampleTool, 'bash'), words)
  expect(output.trim().split('\n')).toEqual(expected)
})

test('renderCompletion() completes clusters of the workspace in bash, and takes their names for nothing else', () => {
  const options = { cluster: { type: 'string', short: 'c', value: 'CLUSTER', describe: 'where' } } as const
  const script = renderCompletion({ ...sampleTool, options }, 'bash')
  const clusters = `davit-compile-stack() { printf '%s\\n' lab live 'x$(exit 7)' '$0'; }\n${script}`
  expect(completed(clusters, ['davit-sample', '-c', 'l']).trim().split('\n')).toEqual(['lab', 'live'])
  expect(completed(clusters, ['davit-sample', '--cluster', '']).trim().split('\n')).toEqual(['lab', 'live'])
})

test.each([
  [
    ['--on', 's'],
    ['service:api', 'service:page'],
  ],
  [
    ['--on', 'service', ':'],
    ['api', 'page'],
  ],
  [['--on', 'service', ':', 'a'], ['api']],
  [['--on', '=', 'service', ':', 'a'], ['api']],
  [['--on', '@'], ['@canary']],
  [['--on', 'web'], ['web1']],
])('renderCompletion() completes %j to what can be selected in bash', (words, expected) => {
  const options = { on: { type: 'list', value: 'SELECTION', describe: 'where' } } as const
  const names = `davit-select() { printf '%s\\n' web1 @canary service:api service:page '*'; }\n`
  const script = `${names}${renderCompletion({ ...sampleTool, options }, 'bash')}`
  expect(
    completed(script, ['davit-sample', ...words])
      .trim()
      .split('\n'),
  ).toEqual(expected)
})

test.each([
  [['shop', '--', 'gr'], 'shop --', ['greeting=']],
  [['shop', '--', 'a', '=', '1', ''], 'shop -- a = 1', ['greeting=', 'size=']],
  [['shop', '--', 'greeting', '='], '', ['']],
  [['shop', '--', 'greeting', '=', 's'], '', ['']],
  [['--dr'], '', ['--dry-run']],
])('renderCompletion() completes %j to arguments of a stack behind -- in bash', (words, asked, expected) => {
  const operands = { arguments: { kind: 'arguments', describe: 'of the stack' } } as const
  const script = `davit-compile-stack() { [ "$*" = "--list-arguments -- davit-sample ${asked}" ] && printf '%s\\n' greeting= size= '$(exit 7)='; }\n${renderCompletion({ ...sampleTool, operands }, 'bash')}`
  const output = completed(script, ['davit-sample', ...words])
  expect(output.trim().split('\n')).toEqual(expected)
})

/** What bash completes the last word to, a line each. */
function completed(script: string, words: readonly string[]): string {
  const call = `${script}
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_davit_sample
printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-uc', call, 'bash', ...words], { encoding: 'utf8' })
}
