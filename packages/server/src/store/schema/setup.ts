import type { Generated } from 'kysely';

/** One row once the site was set up. */
export interface SetupTable {
  id: Generated<number>;
  version: string;
  initialized_at: number;
}
