/** Version of Node.js that runs this process, such as `20.19.0`. */
export function nodeVersion(): string {
  return process.versions.node
}
