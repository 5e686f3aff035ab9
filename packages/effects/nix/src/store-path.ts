import type { StorePath } from '@davit/documents'

const STORE_PATH = /^(?:\/(?!\.\.?\/)[A-Za-z0-9_.+-]+)+\/[0-9a-z]{32}-[A-Za-z0-9_+?=.-]{1,211}$/

export function isStorePath(text: string): text is StorePath {
  return STORE_PATH.test(text)
}
