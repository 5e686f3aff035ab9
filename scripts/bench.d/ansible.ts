import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchHost } from './bench-host.ts'
import type { StartOptions } from './measure.ts'
import { roomFor, type Workplace } from './workplace.ts'

export interface Ansible {
  readonly options: StartOptions
  /** Command that copies the program of a version to all hosts, and starts it where it changed. */
  deploy(version: string): readonly string[]
}

export const ANSIBLE_MISSING = 'ansible-playbook is not installed (Debian: apt-get install ansible-core)'

export function hasAnsible(): boolean {
  return spawnSync('ansible-playbook', ['--version']).status === 0
}

/** Prepares Ansible as one would for speed: as many forks as davit, one shared connection for each host, pipelining, no facts. */
export function ansibleFor(place: Workplace, hosts: readonly BenchHost[], versions: readonly string[]): Ansible {
  const directory = roomFor(place, 'ansible')
  mkdirSync(join(directory, 'sockets'))
  writeFileSync(join(directory, 'inventory'), hosts.map(({ name }) => `${name}\n`).join(''))
  writeFileSync(join(directory, 'ansible.cfg'), configurationFor(directory, hosts[0]?.configuration ?? ''))
  writeFileSync(join(directory, 'play.json'), JSON.stringify(PLAY))
  for (const version of versions) {
    const file = join(directory, `service-${version}`)
    writeFileSync(file, `#!/bin/sh\n# ${version}\n`)
    chmodSync(file, 0o755)
  }
  return {
    options: { directory, environment: { ...place.environment, ANSIBLE_CONFIG: join(directory, 'ansible.cfg') } },
    deploy: (version) => ['ansible-playbook', '-e', `version=${version}`, 'play.json'],
  }
}

const PLAY = [
  {
    hosts: 'all',
    gather_facts: false,
    tasks: [
      {
        name: 'copy',
        copy: { src: 'service-{{ version }}', dest: '/opt/service', mode: '0755' },
        notify: 'start',
      },
    ],
    handlers: [{ name: 'start', command: '/opt/service activate' }],
  },
]

function configurationFor(directory: string, sshConfiguration: string): string {
  return `[defaults]
inventory = ${join(directory, 'inventory')}
forks = 16
interpreter_python = /usr/bin/python3
local_tmp = ${join(directory, 'temporary')}
retry_files_enabled = False
[ssh_connection]
pipelining = True
ssh_args = -F ${sshConfiguration} -o ControlMaster=auto -o ControlPersist=60s
control_path_dir = ${join(directory, 'sockets')}
`
}
