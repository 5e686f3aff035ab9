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
  name: 'davit-logs',
  summary: 'Print the logs of services and of their activities, from all their targets, in order of time',
  description: [
    'Reads on each target what the service has printed, and what its lifecycle module has printed when it was activated, deactivated and so on. The lines of all targets are merged by time, with target and container in front. Nothing is changed anywhere.',
    'Where a service has its log, its module knows: the output of a process, the journal of a systemd unit, the log of a container of Docker, the files of a program of supervisord or of a Tomcat, the logs of a web server that the properties accessLog and errorLog name. Of services whose modules tell of no log, those of their activities are shown.',
    'Times are shown in UTC. They are those at the beginning of the lines, in the time zone of the target if they have none; a line without a time stays behind the one before it. The clocks of targets may differ.',
    'With --follow, it goes on until Ctrl-C, over lost connections, restarts and new versions of the service: what was printed while a target could not be reached is shown once it can.',
    'What comes from targets is shown without control characters, and without the values of secrets that are resolved on this coordinator.',
  ],
  examples: [
    { command: 'davit-logs api', describe: 'the last lines of the service, and of its activities' },
    { command: 'davit-logs api web --follow', describe: 'two services, and what they print from now on' },
    { command: 'davit-logs api --since 1h -t test1', describe: 'the last hour on one target' },
    { command: 'davit-logs api --activity', describe: 'only what its activities have printed' },
    {
      command: 'davit-logs api --format json | jq -r \'select(.text | test("error")) | .target\' | sort | uniq -c',
      describe: 'on which targets errors occur',
    },
  ],
  operands: {
    service: { kind: 'list', describe: 'names of services' },
  },
  options: {
    ...profileOptions,
    ...infrastructureOptions,
    ...trustOptions,
    infrastructure: {
      ...infrastructureOptions.infrastructure,
      describe:
        'infrastructure model, or manifest, with the targets; by default, they are those of what was deployed last',
    },
    follow: { type: 'boolean', short: 'f', describe: 'also print what comes from now on, until it is interrupted' },
    lines: {
      type: 'integer',
      short: 'n',
      value: 'N',
      minimum: 0,
      maximum: 100_000,
      describe: 'how many of the last lines of each log: 100, or with --since all that are not too many',
    },
    since: {
      type: 'string',
      value: 'TIME',
      describe:
        'only lines since then: 2d, 3h, 30m or 45s ago, or a day or time, in UTC unless it has a zone, such as 2026-11-21T17:30+01:00',
    },
    ...askOnOptions,
    target: { type: 'list', short: 't', value: 'TARGET', describe: 'only from this target; may be repeated' },
    container: { type: 'list', short: 'c', value: 'CONTAINER', describe: 'only from this container; may be repeated' },
    activity: { type: 'boolean', describe: 'only what activities have printed' },
    'only-activity': {
      type: 'list',
      value: 'NAME',
      describe: 'only what this activity has printed, such as activate; may be repeated',
    },
    format: {
      type: 'choice',
      choices: ['text', 'json'],
      default: 'text',
      group: 'Output options',
      describe: 'json prints an object for each line',
    },
  },
  exitStatus: {
    1: 'a service is on none of the targets, and nothing else was asked for',
    69: 'some targets cannot be asked; the logs of the others were printed',
  },
  environment: { ...stateEnvironment, ...connectionEnvironment, ...secretEnvironment },
  seeAlso: ['davit-diagnose(1)', 'davit-query(1)', 'davit-journal(1)'],
  endless: 'follow',
  interrupted: {
    announcement: 'stopping',
    once: 'nothing was changed; run the same command again',
    twice: 'nothing was changed; run the same command again',
  },
} as const satisfies ToolDescription
