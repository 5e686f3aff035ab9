import { readFileSync } from 'node:fs'

const PARTS = ['common', 'claim', 'serve', 'lock', 'activity', 'profile', 'native-store']

/** The helper: answers framed requests on standard input, after a line that is the marker (see `runtime/serve.sh`). */
export function serverScript(marker: string): string {
  return `${runtime()}\nserve ${quote(marker)}\n`
}

/**
 * Unpacks the archive on standard input into a directory aside from the store and prints
 * `received TAR-STATUS CHECKSUM…`, the checksum as `cksum` or `sha256sum` print it.
 */
export function receiverScript(directory: string, checksum: 'cksum' | 'sha256sum'): string {
  return `${runtime()}\nreceive_archive ${quote(directory)} ${checksum}\n`
}

/** The parts in a variable, since runners of activities are given the same text, and evaluated. */
function runtime(): string {
  return `runtime=${quote(PARTS.map(part).join('\n'))}\neval "$runtime"`
}

function part(name: string): string {
  const text = readFileSync(new URL(`../runtime/${name}.sh`, import.meta.url), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '' && !/^\s*#/.test(line))
    .map((line) => line.replace(/^\s+/, ''))
    .join('\n')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
