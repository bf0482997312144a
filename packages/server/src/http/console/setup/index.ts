import { setupApi } from '@tollgate/contract';
import type { Setup } from '../../../services/upkeep/setup/index.ts';
import type { TransportCheck } from '../../plain-transport.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface SetupRouteDeps {
  setup: Setup;
  /** Refuses passwords that would travel in the open. */
  checkTransport: TransportCheck;
}

/** The first start: open with the one-time token until it is done, then closed for ever. */
export const setupRoutes = ({ setup, checkTransport }: SetupRouteDeps): MountedRoute[] =>
  implement(setupApi, {
    get: () => setup.state(),
    create(input, context) {
      checkTransport(context);
      return setup.run(input, { ip: context.ip, language: context.language });
    },
  });
