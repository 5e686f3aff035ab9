/** Makes a tar archive of one file without NUL characters, so that it can be text in the Nix language. */
export function bareArchive(name: string, text: string): string {
  const size = Buffer.byteLength(text)
  const header = (checksum: string) =>
    `${name.padEnd(100, 'm')}0000644 0000000 0000000 ${octal(size, 11)} ${octal(1, 11)} ${checksum}0${' '.repeat(355)}`
  const sum = [...Buffer.from(header(' '.repeat(8)))].reduce((total, byte) => total + byte, 0)
  return `${header(`${octal(sum, 6)}  `)}${text}${' '.repeat((512 - (size % 512)) % 512)}`
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}
