// The module behind `import … from 'davit'` in models; an installation has the bundled package here, under the same name.
export * from '../../../documents/davit/src/davit.ts'
