import { AppError } from '@tollgate/contract';
import type { MountedRoute } from '../../implement.ts';

/**
 * The odd answers of the top-up calls (docs/compatibility.md#online-top-up): `{message: 'success', data, …}`, or
 * `{message: 'error', data: words}` for a refusal, without `success`. Refusals with an HTTP status of their own
 * (limits, faults) stay as they are everywhere else.
 */
export const withoutSuccess = (route: MountedRoute): MountedRoute => ({
  ...route,
  async serve(raw, context) {
    try {
      const { body, ...served } = await route.serve(raw, context);
      const { success: _success, ...fields } = body as Record<string, unknown>;
      return { ...served, body: { ...fields, message: 'success' } };
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 200) throw error;
      return {
        status: 200,
        body: { message: 'error', data: error.say(context.language), code: error.code },
      };
    }
  },
});
