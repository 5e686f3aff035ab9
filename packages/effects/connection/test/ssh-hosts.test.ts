import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'

import { hostsInSshConfiguration } from '../src/connection.ts'

function home(files: Readonly<Record<string, string>>): string {
  const directory = scratchDirectory()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  return directory
}

const hosts = (files: Readonly<Record<string, string>>, file?: string) => {
  const directory = home(files)
  const environment = { DAVIT_SSH_CONFIG: '' }
  return hostsInSshConfiguration(file === undefined ? undefined : join(directory, file), {
    environment,
    home: directory,
  })
}

test.each([
  ['names, each once', 'Host web1 web2\n  User deploy\nHost db\nHost web1\n', ['web1', 'web2', 'db']],
  ['no patterns', 'Host web1 web* ?b !web3 *\nHost *\n', ['web1']],
  [
    'keywords in any case, with or without =',
    'HOST=a\nhost = b\n\thOsT\tc\nHost "d" e#f\n',
    ['a', 'b', 'c', 'd', 'e#f'],
  ],
  ['no comments', '# Host a\nHost b # Host c\n', ['b']],
  ['no values of other keywords', 'HostName a\nMatch host b\nProxyJump c\nHost d\r\n', ['d']],
  ['nothing', '', []],
])('hostsInSshConfiguration() finds %s', async (_, config, names) => {
  expect(await hosts({ '.ssh/config': config })).toEqual(names)
})

test('hostsInSshConfiguration() follows Include, with patterns, in the order of the text', async () => {
  const files = {
    '.ssh/config': 'Host z\nInclude conf.d/*.conf ~/more/?.x nowhere/* gone\nHost y\nMatch final\n  Include last\n',
    '.ssh/conf.d/b.conf': 'Host b\n',
    '.ssh/conf.d/a.conf': 'Host a\nInclude deeper\n',
    '.ssh/conf.d/.hidden.conf': 'Host hidden\n',
    '.ssh/conf.d/a.other': 'Host other\n',
    '.ssh/deeper': 'Host d\nInclude deeper\n',
    'more/1.x': 'Host one\n',
    'more/12.x': 'Host twelve\n',
    '.ssh/last': 'Host l\n',
  }
  expect(await hosts(files)).toEqual(['z', 'a', 'd', 'b', 'one', 'y', 'l'])
})

test('hostsInSshConfiguration() reads the file that is named, which must be there', async () => {
  expect(await hosts({ '.ssh/config': 'Host a', other: 'Host b\nInclude config' }, 'other')).toEqual(['b', 'a'])
  await expect(hosts({}, 'gone')).rejects.toMatchObject({ code: 'cannot-read', exitStatus: 66 })
  const directory = home({ named: 'Host named\n' })
  const environment = { DAVIT_SSH_CONFIG: join(directory, 'named') }
  expect(await hostsInSshConfiguration(undefined, { environment, home: directory })).toEqual(['named'])
})
