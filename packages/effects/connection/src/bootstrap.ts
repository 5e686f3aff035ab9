/** Where scripts find programs, whatever the login shell says; the last two are NixOS's. */
export const TARGET_PATH =
  '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin:/nix/var/nix/profiles/default/bin'

/** Reads the script as one line from standard input, byte by byte, so that all that follows is left to the script. */
export const READ_SCRIPT = 'IFS= read -r script && eval "$(printf %b "$script")"'

/** The one command that is ever given to a login shell; it means the same to sh, bash, zsh, fish and csh. */
export const BOOTSTRAP_COMMAND = `exec /bin/sh -c 'PATH=${TARGET_PATH} LC_ALL=C; export PATH LC_ALL; ${READ_SCRIPT}'`

/** The line that `READ_SCRIPT` reads, in UTF-8; only what `read` and `printf %b` would change is escaped. */
export function scriptLine(script: string): Buffer {
  if (script.includes('\0')) throw new RangeError('a script cannot hold a NUL character')
  const escaped = Buffer.from(script)
    .toString('latin1')
    // oxlint-disable-next-line no-control-regex
    .replace(/[\\\u0000-\u001f\u007f-\u00ff]/g, (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return Buffer.from(`${escaped}\n`, 'latin1')
}
