import { installedShells } from '@davit/testing/shells'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

import { captureConfiguration } from '../src/client-interface.ts'
import { sceneOf } from './scene.ts'
import { scratchDirectory } from '@davit/testing/scratch'

describe.each(installedShells())('the settings of a machine in $name', (shell) => {
  const sceneWith = (files: Readonly<Record<string, string>>) => {
    const place = scratchDirectory()
    const scene = sceneOf(shell, {
      DYSNOMIA_PROPERTIES: join(place, 'properties'),
      DYSNOMIA_CONTAINERS_PATH: `${place}/one:${place}/nowhere:${place}/two`,
      quiet: "it's",
    })
    for (const [name, text] of Object.entries(files)) scene.write(join('..', place.split('/').at(-1) ?? '', name), text)
    return scene
  }

  test('are an expression of Nix in which every value is escaped', async () => {
    const scene = sceneWith({
      properties: `# of this machine
hostname="vm 1"

system=x86_64-linux
mem=$(echo 7 && echo 8)
quote='a"b\\c\${d}'
supportedTypes=("process" "wrapper" 'a b')
empty=
none=()
user=$quiet$not_set`,
      'one/mysql-database': 'type=mysql-database\nmysqlPort=3306\nmysqlPort2=$((1 + 2))\n',
      'one/process': '',
      'two/process': 'runtimeDir=/run\n',
      'two/it-is': '  a=b  \n',
    })
    expect(await captureConfiguration(scene.client)).toBe(`{
  containers = {
    it-is = {
      a = "b";
    };
    mysql-database = {
      mysqlPort = "3306";
      mysqlPort2 = "3";
    };
    process = { };
  };
  properties = {
    empty = "";
    hostname = "vm 1";
    mem = "7 8";
    none = [ ];
    quote = "a\\"b\\\\c\\\${d}";
    supportedTypes = [
      "process"
      "wrapper"
      "a b"
    ];
    system = "x86_64-linux";
    user = "it's";
  };
  system = "x86_64-linux";
}
`)
  })

  test('are empty where there are none', async () => {
    expect(await captureConfiguration(sceneWith({}).client)).toBe('{\n  containers = { };\n}\n')
  })

  test.each([
    ['no name', '=x'],
    ['no value', 'hostname'],
    ['a bad name', 'a-b=c'],
    ['an open quote', "a='b"],
  ])('with %s are refused with their place', async (_, line) => {
    const scene = sceneWith({ properties: `a=b\n${line}\n` })
    await expect(captureConfiguration(scene.client)).rejects.toMatchObject({
      code: 'cannot-read',
      message: expect.stringContaining('/properties:2: ') as string,
    })
  })
})
