import { AppError, redemptionApi } from '@tollgate/contract';
import type { Redemptions } from '../../../services/money/redemptions/index.ts';
import { actorOf } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface RedemptionRouteDeps {
  redemptions: Redemptions;
}

/** Redemption code calls (docs/compatibility.md#redemption-codes). Redeeming one is a call of the wallet. */
export const redemptionRoutes = ({ redemptions }: RedemptionRouteDeps): MountedRoute[] =>
  implement(redemptionApi, {
    list: ({ p, page_size, sort }) => redemptions.list({ page: p, pageSize: page_size, keyword: '', sort }),
    search: ({ p, page_size, keyword, sort }) =>
      redemptions.list({ page: p, pageSize: page_size, keyword, sort }),
    get: ({ id }) => redemptions.get(id),
    reveal: ({ id }) => redemptions.reveal(id),
    create: (input, context) => redemptions.create(actorOf(context).id, input),
    update({ id, name, quota, expired_time, status, status_only }) {
      if (status_only) {
        if (status === undefined) throw new AppError('invalid_parameter');
        return redemptions.setStatus(id, status);
      }
      return redemptions.edit(id, { name, quota, expired_time });
    },
    async remove({ id }) {
      await redemptions.remove(id);
      return null;
    },
    removeInvalid: () => redemptions.removeInvalid(),
  });
