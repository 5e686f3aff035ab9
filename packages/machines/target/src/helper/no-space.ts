/** Whether the text of GNU tar, busybox, cksum, Nix or a shell reports a full disk. */
export function tellsNoSpace(text: string): boolean {
  return /no space left|quota exceeded|wrote only|write error|short write/i.test(text)
}

export const HOW_TO_MAKE_SPACE = 'free some space there, and run the same command again'
