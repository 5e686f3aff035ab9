import { defineTool } from '../src/define-tool.ts'
import { outputOptions, profileOptions, transferOptions } from '../src/shared-options.ts'

/** A tool with every kind of option, for tests. */
export const sampleTool = defineTool({
  name: 'davit-sample',
  summary: 'Copy text from here to there',
  description: ['Reads a text and prints it.', 'A second paragraph -- with "quotes", a \\ and\n.TH in it.'],
  examples: [
    { command: 'davit-sample text', describe: 'print a file' },
    { command: 'davit-sample < text | wc', describe: 'count it' },
  ],
  operands: { text: 'what to copy' },
  options: {
    'old-text': { type: 'string', short: 'o', value: 'FILE', describe: 'what it was before' },
    rollback: { type: 'boolean', default: true, describe: 'undo what fails' },
    'dry-run': { type: 'boolean', short: 'n', env: ['DAVIT_DRY_RUN'], describe: 'print and stop' },
    tag: { type: 'list', value: 'TAG', describe: 'a word to put before' },
    color: { type: 'choice', choices: ['red', 'green'], describe: 'of the text' },
    ...profileOptions,
    ...transferOptions,
    ...outputOptions,
  },
  exitStatus: { 1: 'nothing was copied' },
  seeAlso: ['davit(1)', 'cat(1)'],
  async run({ args, print, readInput }) {
    const { text } = await readInput(args.text)
    const red: 'red' | 'green' | undefined = args.color
    const transfers: number = args.maxConcurrentTransfers
    if (args.dryRun)
      return print(`${args.profile} ${red ?? ''} ${transfers} ${args.tag.join()} ${args.oldText ?? ''}\n`)
    await print(text)
    return args.rollback ? 0 : 1
  },
})
