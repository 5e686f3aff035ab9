import { finding, type Instance, placeOfValue } from '@davit/stack'
import { textIn } from '../endpoints.ts'
import { printing, shellWord } from '../shell.ts'
import type { Draft, Emitting } from '../unit.ts'

export function volumePath({ volumeDirectory, serviceOf }: Emitting, volume: Instance): string {
  return `${volumeDirectory}/${serviceOf(volume)}`
}

/** A directory whose data moves with it: a fileset; where machines offer none, a wrapper that does the same. */
export function emitVolume(volume: Instance, emitting: Emitting): Draft | undefined {
  const mode = textIn(volume, 'mode')
  if (mode !== undefined && !/^0?[0-7]{3,4}$/.test(mode)) {
    const message = `${JSON.stringify(mode)} is no mode of a directory`
    const hint = 'write permissions in octal digits, such as "0700"'
    emitting.findings.push(finding('MU610', [volume.fqn], { place: placeOfValue(volume, 'mode'), message, hint }))
    return undefined
  }
  const script = emitting.offersFilesets ? filesetOf(volume, emitting) : wrapperOf(volumePath(emitting, volume), mode)
  const type = emitting.offersFilesets ? 'fileset' : 'wrapper'
  return { type, deployState: true, packageFor: () => ({ build: { script } }) }
}

function filesetOf(volume: Instance, { volumeDirectory, serviceOf }: Emitting): string {
  return [
    'mkdir -p "$out"',
    `printf '%s\\n' ${shellWord(volumeDirectory)} >"$out/.dysnomia-targetdir"`,
    `printf '%s\\n' ${shellWord(`mkdir ${serviceOf(volume)}`)} >"$out/.dysnomia-fileset"`,
    '',
  ].join('\n')
}

function wrapperOf(path: string, mode: string | undefined): string {
  const variables = [`directory=${shellWord(path)}`, `mode=${shellWord(mode ?? '')}`]
  const text = ['#!/bin/sh', ...variables, WRAPPER].join('\n')
  return `mkdir -p "$out/bin"\n{ ${printing(text)}} >"$out/bin/wrapper"\nchmod 755 "$out/bin/wrapper"\n`
}

/** What is restored is complete before it is renamed; whoever comes next ends what was cut off. */
const WRAPPER = `set -eu
aside=\${directory%/*}/.\${directory##*/}.davit-state

settle() {
  rm -rf "$aside.part"
  [ -d "$aside" ] || return 0
  rm -rf "$directory"
  mv "$aside" "$directory"
}

case $1 in
  activate)
    settle
    mkdir -p "$directory"
    [ -z "$mode" ] || chmod "$mode" "$directory"
    ;;
  snapshot)
    settle
    [ ! -d "$directory" ] || ln -s "$directory" "$DAVIT_SNAPSHOT/state"
    ;;
  restore)
    settle
    if [ -d "$DAVIT_SNAPSHOT/state" ]; then
      mkdir -p "\${directory%/*}"
      cp -Rp "$DAVIT_SNAPSHOT/state" "$aside.part"
      mv "$aside.part" "$aside"
      settle
    else
      rm -rf "$directory"
    fi
    ;;
  collect-garbage)
    settle
    rm -rf "$directory"
    ;;
esac`
