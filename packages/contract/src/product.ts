/** Lower-case form of the name: metrics, the command, files, databases, the image. */
const id = 'tollgate';

/**
 * What the product is called. Everything else that shows or derives the name takes it from here; CONTRIBUTING lists the
 * static files that cannot. Labels of derived keys and package scopes keep theirs: sealed values must still open.
 */
export const product = {
  name: 'Tollgate',
  id,
  /** Names of headers on the wire. */
  headers: {
    requestId: `x-${id}-request-id`,
    cost: `x-${id}-cost`,
    maxCost: `x-${id}-max-cost`,
    tags: `x-${id}-tags`,
    dropped: `x-${id}-dropped`,
    model: `x-${id}-model`,
    hop: `x-${id}-hop`,
    caller: `x-${id}-caller`,
  },
} as const;
