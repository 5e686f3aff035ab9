import { type ToolDescription } from '@davit/tool'

export const description = {
  name: 'davit',
  summary: 'Deploy systems of services to networks of machines, with one tool for each step',
  description: [
    'davit TOOL runs the program davit-TOOL, which is next to davit or on PATH, and ends with its status. Any program with such a name is a tool, whoever wrote it.',
  ],
  examples: [
    { command: 'davit env -s services.yaml -i infrastructure.yaml -d distribution.yaml', describe: 'deploy a system' },
    { command: 'davit help activate', describe: 'help for one tool' },
  ],
  operands: {
    tool: { kind: 'command', describe: 'name of a tool, and its arguments' },
  },
  seeAlso: ['davit-env(1)'],
} as const satisfies ToolDescription
