/** Whether something was refused because a disk is full, in the words of GNU tar, busybox, cksum, Nix and shells. */
export function tellsNoSpace(text: string): boolean {
  return /no space left|quota exceeded|wrote only|write error|short write/i.test(text)
}

export const HOW_TO_MAKE_SPACE = 'make space there, and run the same command again'
