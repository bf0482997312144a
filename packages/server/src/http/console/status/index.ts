import { AppError, statusApi } from '@tollgate/contract';
import type { Settings } from '../../../services/site/settings/index.ts';
import type { Status } from '../../../services/upkeep/status/index.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface StatusRouteDeps {
  status: Status;
  settings: Pick<Settings, 'get'>;
}

/**
 * What visitors may read: the status, and the texts that an administrator wrote
 * (docs/compatibility.md#envelope-and-routes).
 */
export const statusRoutes = ({ status, settings }: StatusRouteDeps): MountedRoute[] =>
  implement(statusApi, {
    status: () => status.read(),
    async test() {
      try {
        await status.testDatabase();
      } catch (cause) {
        throw new AppError('database_unavailable', {}, cause);
      }
      return null;
    },
    notice: () => settings.get('Notice'),
    about: () => settings.get('About'),
    homePageContent: () => settings.get('HomePageContent'),
  });
