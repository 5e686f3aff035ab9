export type { PathInfo } from './path-info.ts'
export type { ServeChannel, ServeClient } from './serve-client.ts'
