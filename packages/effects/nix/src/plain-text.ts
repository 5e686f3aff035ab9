/** Colours and the like, which Nix may write anywhere. */
// oxlint-disable-next-line no-control-regex
const ESCAPE_SEQUENCE = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g

export function withoutEscapes(text: string): string {
  return text.replaceAll(ESCAPE_SEQUENCE, '')
}

/** Removes from a message of Nix what is for terminals, and the word 'error'. */
export function plainText(message: string): string {
  return withoutEscapes(message).replace(/^error: */, '')
}
