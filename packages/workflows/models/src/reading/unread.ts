/** Placeholder for a value that was not evaluated. */
export const UNREAD = Symbol('unread')
