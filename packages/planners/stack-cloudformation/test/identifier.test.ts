import { expect, test } from 'vitest'
import { camelIdentifier, pascalIdentifier } from '../src/stack-cloudformation.ts'

test.each([
  ['!.:test-123.Test/abc', 'Test123TestAbc', 'test123TestAbc'],
  ['TEST', 'TEST', 'tEST'],
  ['self', 'Self', 'self'],
  ['aws/ec2/vpc', 'AwsEc2Vpc', 'awsEc2Vpc'],
  ['read-er', 'ReadEr', 'readEr'],
  ['a__b_', 'AB', 'aB'],
  ['9lives', '9lives', '9lives'],
  ['-9-lives', '9Lives', '9Lives'],
  ['größe', 'GrE', 'grE'],
  ['ß', '', ''],
  ['', '', ''],
])('%j is %j, or %j', (text, pascal, camel) => {
  expect([pascalIdentifier(text), camelIdentifier(text)]).toEqual([pascal, camel])
})
