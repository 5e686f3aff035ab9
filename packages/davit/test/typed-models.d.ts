export declare const infrastructure: {
  readonly db1: {
    readonly properties: {
      readonly hostname: 'db1.example'
      readonly weight: import('../src/data.ts').Float
    }
    readonly containers: {
      readonly process: {
        readonly port: 8080
      }
    }
  }
  readonly web1: {
    readonly properties: {
      readonly hostname: 'web1.example'
    }
    readonly numOfCores: 2
  }
}
export declare const services: import('../src/define.ts').Model<
  import('../src/define.ts').ServicesContext,
  import('../src/services.ts').Services<import('../src/services.ts').ParametersOfServices>
>
export declare const withExtra: import('../src/define.ts').Model<
  import('../src/define.ts').ServicesContext & {
    system: string
    port: number
  },
  import('../src/services.ts').Services<import('../src/services.ts').ParametersOfServices>
>
export declare const loose: import('../src/define.ts').Model<
  import('../src/define.ts').ServicesContext,
  import('../src/services.ts').Services<import('../src/services.ts').ParametersOfServices>
>
export declare const misspelt: import('../src/define.ts').Model<
  import('../src/define.ts').ServicesContext,
  import('../src/services.ts').Services<import('../src/services.ts').ParametersOfServices>
>
export declare const wrong: import('../src/define.ts').Model<
  import('../src/define.ts').ServicesContext,
  import('../src/services.ts').Services<{
    web: 'database'
  }>
>
export declare const objects: import('../src/define.ts').Model<
  import('../src/define.ts').ServicesContext,
  import('../src/services.ts').Services<{
    database: string
    web: string
    proxy: string
  }>
>
export declare const distribution: import('../src/define.ts').Model<
  import('../src/define.ts').DistributionContext<{
    readonly db1: {
      readonly properties: {
        readonly hostname: 'db1.example'
        readonly weight: import('../src/data.ts').Float
      }
      readonly containers: {
        readonly process: {
          readonly port: 8080
        }
      }
    }
    readonly web1: {
      readonly properties: {
        readonly hostname: 'web1.example'
      }
      readonly numOfCores: 2
    }
  }>,
  import('../src/distribution.ts').Distribution
>
export declare const looseDistribution: import('../src/define.ts').Model<
  import('../src/define.ts').DistributionContext<{
    readonly [target: string]: import('../src/distribution.ts').TargetReference
  }>,
  import('../src/distribution.ts').Distribution
>
export declare const packages: import('../src/define.ts').Model<
  import('../src/define.ts').SystemContext,
  import('../src/define.ts').Packages
>
export declare const architecture: import('../src/define.ts').Model<
  import('../src/define.ts').SystemContext,
  import('../src/define.ts').Architecture<import('../src/services.ts').ParametersOfServices>
>
