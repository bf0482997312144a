import { setupApi } from '@tollgate/contract';
import type { Setup } from '../../../services/setup/index.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface SetupRouteDeps {
  setup: Setup;
}

/** The first start (wire-facts 11.5): open until it is done, then closed for ever. */
export const setupRoutes = ({ setup }: SetupRouteDeps): MountedRoute[] =>
  implement(setupApi, {
    get: (_input, { isLocal }) => setup.state(isLocal),
    create: (input, { isLocal }) => setup.run(input, isLocal),
  });
