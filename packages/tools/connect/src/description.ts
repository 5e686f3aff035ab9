import { connectionEnvironment, type ToolDescription } from '@davit/tool'

const { DAVIT_CONNECT: _, ...environment } = connectionEnvironment

export const description = {
  name: 'davit-connect',
  summary: 'Hold the connections to machines while a command runs',
  description: [
    'Tools that the command runs open their channels over connections that are there already, instead of connecting anew. It is to connections what ssh-agent(1) is to keys: it serves a socket, which DAVIT_CONNECT names in the environment of the command, and which only the same user can use.',
    'Ends with the status of the command.',
    'With a manifest, connects to all its targets right away, while the command starts. Otherwise, and for any other machine, the first tool that needs a connection makes it.',
    'Each tool gets only connections that it could make itself: with the same settings of ssh, and to a host key that it accepts. A machine that did not answer is not asked again for 30 seconds.',
    'Within another davit-connect, uses the connections of that one. When it is killed, the command goes on, and its tools connect by themselves.',
  ],
  examples: [
    { command: 'davit-connect -- bash', describe: 'a shell in which single steps take no time to connect' },
    {
      command: "davit-connect manifest.xml -- sh -c 'davit-distribute manifest.xml | davit-activate | davit-set'",
      describe: 'one connection to each machine for all steps of a pipe',
    },
  ],
  operands: {
    manifest: 'file of a manifest, to whose targets it connects at once',
    command: { kind: 'command', describe: 'command to run' },
  },
  environment: {
    ...environment,
    DAVIT_CONNECT: 'socket of another davit-connect, which is used then; set for the command',
    TMPDIR: 'directory for the socket (default: /tmp)',
  },
  seeAlso: ['davit-env(1)', 'davit-activate(1)', 'ssh-agent(1)'],
} as const satisfies ToolDescription
