/** Colours and the like, which Nix writes wherever it likes. */
// oxlint-disable-next-line no-control-regex
const ESCAPE_SEQUENCE = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g

export function withoutEscapes(text: string): string {
  return text.replaceAll(ESCAPE_SEQUENCE, '')
}

/** A message of Nix without what is for terminals, and without the word that says that it is an error. */
export function plainText(message: string): string {
  return withoutEscapes(message).replace(/^error: */, '')
}
