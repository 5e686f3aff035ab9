/** PATH of scripts, whatever the login shell sets; the last two directories are those of NixOS. */
export const TARGET_PATH =
  '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin:/nix/var/nix/profiles/default/bin'

/** Reads the script as one line from standard input, byte by byte, so that everything after it is left to the script. */
export const READ_SCRIPT = 'IFS= read -r script && eval "$(printf %b "$script")"'

/** The only command ever passed to a login shell; it means the same in sh, bash, zsh, fish and csh. */
export const BOOTSTRAP_COMMAND = `exec /bin/sh -c 'PATH=${TARGET_PATH} LC_ALL=C; export PATH LC_ALL; ${READ_SCRIPT}'`

/** Encodes a script as the line that `READ_SCRIPT` reads: UTF-8, with what `read` or `printf %b` would change escaped. */
export function scriptLine(script: string): Buffer {
  if (script.includes('\0')) throw new RangeError('a script cannot contain a NUL character')
  const escaped = Buffer.from(script)
    .toString('latin1')
    // oxlint-disable-next-line no-control-regex
    .replace(/[\\\u0000-\u001f\u007f-\u00ff]/g, (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return Buffer.from(`${escaped}\n`, 'latin1')
}
