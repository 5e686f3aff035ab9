import type { ToolDescription } from '@davit/tool'

export const description = {
  name: 'davit-fetch-stacks',
  summary: 'Fetch the stacks that a stack file refers to, from repositories of git',
  description: [
    'Looks up every reference of the stack file, and of the stacks that it leads to. What is in no place is fetched: from the repository that `repositories` of the workspace file names, or else from the address that the reference itself is.',
    'Tags such as 1.2.3, v1.2.3 and DIRECTORY/v1.2.3 are versions, of which the highest that fits is taken. Without a version, it is the last commit of the default branch; a hash is that commit.',
    'Stacks go to .Mudeps below the workspace, each whole or not at all, with a record of where it comes from. What is there and fits is left as it is, unless --update is given. Tools that compile stacks never fetch anything.',
    'Repositories are read by git, with the configuration and the keys of the user. If one cannot be reached, the others are fetched all the same, and stay.',
  ],
  examples: [
    { command: 'davit-fetch-stacks', describe: 'fetch what the stack of this directory needs' },
    { command: 'davit-fetch-stacks shop --update --dry-run', describe: 'tell which newer versions there are' },
    {
      command: 'davit-fetch-stacks --pins',
      describe: 'print what keeps a workspace to the versions that are used now',
    },
    {
      command: 'davit-fetch-stacks shop -c test -- greeting=hello',
      describe: 'what cluster test needs, with an argument',
    },
  ],
  operands: {
    stack: 'stack file, or a directory from which Mu.yaml is searched upwards (default: this directory)',
    arguments: {
      kind: 'arguments',
      describe: 'arguments of the stack, such as name=value, since references may depend on them',
    },
  },
  options: {
    cluster: {
      type: 'string',
      short: 'c',
      value: 'CLUSTER',
      describe: 'cluster of the workspace whose stacks are fetched (default: its default cluster)',
    },
    global: {
      type: 'boolean',
      short: 'g',
      describe: 'fetch to .Mudeps below the home directory, where all workspaces look',
    },
    update: { type: 'boolean', describe: 'look for newer versions of what was fetched before, too' },
    'dry-run': { type: 'boolean', describe: 'tell what would be fetched, and change nothing' },
    pins: {
      type: 'boolean',
      describe: "print 'dependencies' of a workspace file, with the versions of everything that was reached",
    },
  },
  environment: {
    DAVIT_FETCH_LIMIT: 'limit for the size of all repositories of a run together, such as 20 GB (default: 4 GB)',
    DAVIT_FETCH_TIMEOUT: 'seconds that fetching a repository may take (default: 3600)',
    MUROOT: 'installation of stacks, whose lib and bin/stacks are places of references, too',
    TMPDIR: 'directory for clones of repositories, which are removed again (default: /tmp)',
  },
  interrupted: {
    announcement: 'stopping: stacks that are complete stay',
    once: 'each stack is there as a whole or not at all; run the same command again',
    twice: 'each stack is there as a whole or not at all; run the same command again',
  },
  seeAlso: ['davit-compile-stack(1)', 'git(1)'],
} as const satisfies ToolDescription
