import {
  askOnOptions,
  connectionEnvironment,
  infrastructureOptions,
  profileOptions,
  secretEnvironment,
  stateEnvironment,
  type ToolDescription,
  trustOptions,
} from '@davit/tool'

export const description = {
  name: 'davit-diagnose',
  summary: 'Open a shell, or run a command, in the environment of a service on its targets',
  description: [
    'The environment is that of the lifecycle module of the service: the properties of its container are variables, and so are DAVIT_SERVICE, DAVIT_KEY, DAVIT_TARGET, DAVIT_PROFILE, DAVIT_CONTAINER, DAVIT_PACKAGE, DAVIT_MODULE, and the directories DAVIT_STATE_DIR, DAVIT_RUN_DIR, DAVIT_LOG_DIR and DYSNOMIA_STATEDIR. The directory is the package of the service. A service need not be active for that, but its package must be on the target.',
    'Without a command, it opens an interactive shell for one instance of the service: if there are several, --target and --container choose one. A module of Dysnomia tells what can be done there. With a command, it is run for all instances, and its output is printed with target and container in front. A single word is a command line for the shell of the target; several are a program and its arguments.',
    'Secrets are resolved on this coordinator, as for activities. They are in the environment of the shell or command, but never in arguments, and in the output of commands they are hidden.',
  ],
  usage: ['-S SERVICE [OPTION]...', '-S SERVICE [OPTION]... -- COMMAND [ARGUMENT]...'],
  examples: [
    { command: 'davit-diagnose -S api -t test1', describe: 'a shell in the environment of the service on one target' },
    { command: "davit-diagnose -S api -- 'curl -sS localhost:$port/health'", describe: 'ask all instances' },
    { command: 'davit-diagnose -S db -- df -h /var/lib/mysql', describe: 'look at the disks of all of them' },
    { command: 'davit-diagnose -S api --show-mappings', describe: 'list where the service is' },
  ],
  operands: {
    command: { kind: 'command', describe: 'what to run for all instances, instead of a shell for one' },
  },
  options: {
    ...profileOptions,
    service: { type: 'string', short: 'S', value: 'SERVICE', required: true, describe: 'name of the service' },
    ...askOnOptions,
    target: { type: 'list', short: 't', value: 'TARGET', describe: 'only on this target; may be repeated' },
    container: { type: 'list', short: 'c', value: 'CONTAINER', describe: 'only in this container; may be repeated' },
    'show-mappings': { type: 'boolean', describe: 'list targets and containers of the service, and do nothing else' },
    prefix: {
      type: 'boolean',
      default: true,
      group: 'Output options',
      describe: 'print target and container in front of each line of a command',
    },
    ...infrastructureOptions,
    ...trustOptions,
    infrastructure: {
      ...infrastructureOptions.infrastructure,
      describe:
        'infrastructure model, or manifest, with the targets; by default, they are those of what was deployed last',
    },
  },
  exitStatus: {
    1: 'the service is nowhere, or in several places, one of which has to be chosen for a shell',
    2: 'the command has failed somewhere',
    69: 'some targets cannot be asked; on the others, the command was run',
  },
  environment: { ...stateEnvironment, ...connectionEnvironment, ...secretEnvironment },
  seeAlso: ['davit-logs(1)', 'davit-query(1)', 'davit-run-activity(1)', 'ssh(1)'],
  interrupted: {
    announcement: 'stopping',
    once: 'the commands on the targets were ended',
    twice: 'the commands on the targets end when they notice',
  },
} as const satisfies ToolDescription
