/** Lower-case form of the name, for metrics, the command, files, databases and the image. */
const id = 'tollgate';

/** Where a site publishes the keys of its signed receipts. */
export const receiptKeysPath = `/.well-known/${id}-receipts.json`;

/**
 * Name of the product. All code derives the name from here; CONTRIBUTING lists the static files that cannot. Labels
 * of derived keys and package scopes never change, because encrypted values must stay readable.
 */
export const product = {
  name: 'Tollgate',
  id,
  /** Names of HTTP headers. */
  headers: {
    requestId: `x-${id}-request-id`,
    cost: `x-${id}-cost`,
    maxCost: `x-${id}-max-cost`,
    tags: `x-${id}-tags`,
    run: `x-${id}-run`,
    dropped: `x-${id}-dropped`,
    model: `x-${id}-model`,
    cache: `x-${id}-cache`,
    hop: `x-${id}-hop`,
    caller: `x-${id}-caller`,
    explain: `x-${id}-explain`,
  },
} as const;
