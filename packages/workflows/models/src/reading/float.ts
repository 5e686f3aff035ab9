import { Float } from '@davit/languages'

export function textOfFloat(value: number): string {
  return new Float(value).toString()
}
