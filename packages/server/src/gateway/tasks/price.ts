import { type Bill, type PriceExtras, type PriceSnapshot, price, usageOf } from '@tollgate/contract';
import { pricedPerCall } from '../../services/money/pricing/index.ts';
import { pricedModel } from '../../relay/outgoing.ts';
import { type Channel, refuse, type RelayError } from '../../relay/types/index.ts';
import type { Caller, GatewayDeps } from '../call/index.ts';
import type { TaskOrder } from './deps.ts';

/** The price of a task: known before it starts, and held in full. */
export interface TaskPrice {
  /** The name with the price. */
  pricedModel: string;
  snapshot: PriceSnapshot;
  extras: PriceExtras;
  bill: Bill;
}

/** The present price of a task on a channel; the error if its model has no price per call. */
export function taskPrice(
  { pricing }: Pick<GatewayDeps, 'pricing'>,
  caller: Pick<Caller, 'acceptUnsetPrice' | 'userGroup'>,
  group: string,
  { model: asked, platform, isFree, extras = {} }: TaskOrder,
  channel: Channel,
): TaskPrice | RelayError {
  const model = pricedModel(channel, asked);
  const found = pricing.snapshot(model, group, {
    acceptUnset: platform === 'mj' || caller.acceptUnsetPrice,
    userGroup: caller.userGroup,
  });
  if ('refusal' in found) return refuse(found.refusal, { model });
  const snapshot = pricedPerCall(found, platform === 'mj');
  if (!snapshot) return refuse('model_price_error', { model });
  const calls = { ...extras, calls: extras.calls ?? 1 };
  const bill = price(usageOf(), snapshot, calls);
  return { pricedModel: model, snapshot, extras: calls, bill: isFree ? { ...bill, quota: 0 } : bill };
}
