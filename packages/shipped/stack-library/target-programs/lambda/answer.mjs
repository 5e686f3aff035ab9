const PARTS = new Set(['status', 'headers', 'body'])

/** Makes an answer of what a function returns: a text, `{ status, headers, body }`, nothing, or anything else as JSON. */
export function answerOf(result) {
  const { status, headers = {}, body } = isAnswer(result) ? result : { body: result }
  const [type, content] = contentOf(body)
  const isTyped = type === undefined || Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  return {
    status: status ?? (content === '' && result !== '' ? 204 : 200),
    headers: isTyped ? headers : { 'content-type': type, ...headers },
    content,
  }
}

/** A table with other members, or whose status is no number, is answered as JSON itself. */
function isAnswer(result) {
  if (typeof result !== 'object' || result === null || !Object.keys(result).every((key) => PARTS.has(key))) return false
  return typeof result.status === 'number' || (result.status === undefined && result.body !== undefined)
}

function contentOf(body) {
  if (body === undefined || body === null) return [undefined, '']
  if (typeof body === 'string') return ['text/plain; charset=utf-8', body]
  if (body instanceof Uint8Array) return ['application/octet-stream', body]
  return ['application/json', JSON.stringify(body)]
}
