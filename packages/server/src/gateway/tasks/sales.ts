import { maxQuota } from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import { sha256 } from '../../lib/hash.ts';
import type { JsonObject } from '../../lib/json.ts';
import { randomText } from '../../lib/random.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';
import { type Sale, saleModel, type Sales } from '../../services/calls/tasks/index.ts';
import { InsufficientQuota } from '../../services/money/ledger/index.ts';
import { admit, admitRate, checkTags, enterRun, readRunPath, readTags } from '../entrance/index.ts';
import { callBudgets, quotaRefusal, readCeiling, tooLow, unitsOf } from '../hold/index.ts';
import type { Caller, GatewayDeps, RelayCall } from '../call/index.ts';
import { readKeyName } from '../replay/index.ts';

/** Dependencies of sales: what an application sells beside models. */
export interface SaleDeps {
  gateway: GatewayDeps;
  sales: Sales;
  /** Called after each charge. Must not wait. */
  onSettled(caller: Caller, settled: { charged: number; balance: number }): void;
}

/** The caller of a sale. */
export type SaleCall = Pick<RelayCall, 'requestId' | 'caller' | 'req' | 'res' | 'path'>;

/** Seconds after which a hold is released: by default, and at most. */
const usualTtl = 3_600;
const maxTtl = 86_400;

/** The name of what is sold, which becomes a model name in the log. */
const saleName = /^[A-Za-z0-9][\w.:/-]{0,63}$/;
const maxDescription = 500;

/** Forms of the bodies, for their error. */
const forms = {
  hold: '{"name": "ocr-pages", "usd": 0.5, "description": "", "ttl": 3600}',
  settle: '{"id": "hold_…", "usd": 0.31}',
  release: '{"id": "hold_…"}',
} as const;

const invalid = (form: keyof typeof forms): RelayError => refuse('hold_invalid', { form: forms[form] });

/**
 * The amount of a body: `usd`, a number or decimal text that is rounded down to quota units, or `quota`, in such units.
 * Undefined if it has neither, both or no amount.
 */
function readAmount({ usd, quota }: JsonObject, unitsPerDollar: number): number | undefined {
  if ((usd === undefined) === (quota === undefined)) return undefined;
  const isDollars = typeof usd === 'number' || typeof usd === 'string';
  const units = isDollars ? unitsOf(usd, unitsPerDollar) : quota;
  const isAmount =
    typeof units === 'number' && Number.isSafeInteger(units) && units >= 0 && units <= maxQuota;
  return isAmount ? units : undefined;
}

/** A requested hold. */
interface HoldOrder {
  name: string;
  description: string;
  amount: number;
  ttl: number;
}

function readOrder(json: JsonObject, unitsPerDollar: number): HoldOrder {
  const { name, description = '', ttl = usualTtl, usd, quota, ...others } = json;
  const amount = readAmount(
    { ...(usd !== undefined && { usd }), ...(quota !== undefined && { quota }) },
    unitsPerDollar,
  );
  if (typeof name !== 'string' || !saleName.test(name)) throw invalid('hold');
  if (typeof description !== 'string' || description.length > maxDescription) throw invalid('hold');
  if (typeof ttl !== 'number' || !Number.isSafeInteger(ttl) || ttl < 1 || ttl > maxTtl) throw invalid('hold');
  if (!amount || Object.keys(others).length > 0) throw invalid('hold');
  return { name, description: description.replaceAll('\0', '').toWellFormed(), amount, ttl };
}

/**
 * Holds an amount for something that an application sells to the owner of the key: the same checks, budgets and
 * refusals as a call. With an Idempotency-Key that has a hold, that hold is returned as it is now. Throws the error.
 */
export async function holdSale(
  { gateway, sales }: SaleDeps,
  call: SaleCall & { raw: Buffer; query: string },
  json: JsonObject,
  /** Called with the name in the log, as soon as it is known. */
  named: (model: string) => void,
): Promise<{ sale: Sale; isNew: boolean }> {
  const { caller, requestId } = call;
  const { name, description, amount, ttl } = readOrder(json, gateway.unitsPerDollar());
  const model = saleModel(name);
  named(model);
  const keyName = readKeyName(call);
  const saleId = `hold_${keyName?.slice(0, 32) ?? randomText(32)}`;
  const bodyHash = sha256(`${call.query}\n${call.raw.toString('latin1')}`);
  const known = keyName === undefined ? undefined : await sales.find(saleId);
  if (known) return { sale: repeated(known, bodyHash), isNew: false };
  const [group = ''] = admit(gateway, { caller, askedGroup: '', facts: { model } });
  const tags = readTags(call, {});
  checkTags(gateway, { caller, tags }, group);
  checkCeiling(gateway, call, amount);
  await admitRate(gateway.rate, caller, group);
  const ofRun = await enterRun(gateway, call);
  const { team, username, tokenId, tokenName } = caller;
  const order = {
    saleId,
    name,
    description,
    bodyHash,
    buyer: {
      username,
      tokenId,
      tokenName,
      team: team && { id: team.id, name: team.name },
      group,
      run: readRunPath(call),
      tags,
    },
    until: gateway.clock() + ttl * 1_000,
    hold: {
      requestId,
      accountId: caller.accountId,
      userId: caller.userId,
      tokenId,
      tokenUnlimited: caller.tokenUnlimited,
      memberId: team?.memberId ?? 0,
      budgets: callBudgets(gateway, caller, group, model, ofRun),
      channelId: 0,
      amount,
      request: '',
    },
  };
  const waiting = { payer: order.hold, caller: call.res };
  const begun = await refusing(gateway, caller, () =>
    gateway.ledger.whenReleased(waiting, () => sales.begin(order)),
  );
  faultPoint('sale-held');
  return begun.isNew ? begun : { ...begun, sale: repeated(begun.sale, bodyHash) };
}

function repeated(sale: Sale, bodyHash: string): Sale {
  if (sale.bodyHash !== bodyHash) throw refuse('idempotency_key_reused');
  return sale;
}

function checkCeiling(gateway: GatewayDeps, { req }: SaleCall, amount: number): void {
  const ceiling = readCeiling(gateway, req) ?? Infinity;
  if (amount > ceiling) throw tooLow(gateway, ceiling, amount);
}

/** Turns a lack of money into the refusal of a call. */
async function refusing<T>(gateway: GatewayDeps, caller: Caller, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof InsufficientQuota)) throw error;
    throw quotaRefusal(gateway, error, caller, 'hold');
  }
}

/** The hold of a body, of the same key; a key of a run finds those of its run only. */
async function findOwn({ sales }: SaleDeps, { caller }: SaleCall, id: unknown, form: keyof typeof forms) {
  if (typeof id !== 'string') throw invalid(form);
  const sale = await sales.find(id);
  const { tokenId, run } = sale?.buyer ?? {};
  const isInRun = caller.run === undefined || run === caller.run || run?.startsWith(`${caller.run}/`);
  // The storage of cached content ends with the content.
  if (!sale || sale.storage || tokenId !== caller.tokenId || !isInRun)
    throw refuse('hold_unknown', { id: id.slice(0, 64) });
  return sale;
}

/**
 * Charges a hold with the actual amount, which may exceed it by what is free. Otherwise it is refused, and the hold
 * stays. A repetition with the same amount returns the first result. Throws the error.
 *
 * @param checkKey - Throws if the key may not take a hold, which a larger amount needs
 */
export async function settleSale(
  deps: SaleDeps,
  call: SaleCall,
  json: JsonObject,
  checkKey: () => Promise<unknown>,
): Promise<Sale> {
  const { id, usd, quota, ...others } = json;
  const { gateway, sales } = deps;
  const asked = { ...(usd !== undefined && { usd }), ...(quota !== undefined && { quota }) };
  const amount = readAmount(asked, gateway.unitsPerDollar());
  if (amount === undefined || Object.keys(others).length > 0) throw invalid('settle');
  const sale = await findOwn(deps, call, id, 'settle');
  if (sale.state !== 'held') return ended(sale, amount);
  checkCeiling(gateway, call, amount);
  if (amount > sale.held) await checkKey();
  const { accountId, tokenId, team } = call.caller;
  const payer = { accountId, tokenId, memberId: team?.memberId ?? 0 };
  const waiting = { payer, caller: call.res, isRunning: true } as const;
  const settled = await refusing(gateway, call.caller, () =>
    gateway.ledger.whenReleased(waiting, () => sales.settle(sale, amount)),
  );
  if (!settled) return ended(await findOwn(deps, call, id, 'settle'), amount);
  faultPoint('sale-settled');
  deps.onSettled(call.caller, settled);
  return { ...sale, state: 'settled', charged: settled.charged };
}

/** Returns a hold, once; a repetition returns the first result. Throws the error. */
export async function releaseSale(deps: SaleDeps, call: SaleCall, json: JsonObject): Promise<Sale> {
  const { id, ...others } = json;
  if (Object.keys(others).length > 0) throw invalid('release');
  const sale = await findOwn(deps, call, id, 'release');
  if (sale.state === 'held' && (await deps.sales.release(sale))) return { ...sale, state: 'released' };
  return ended(await findOwn(deps, call, id, 'release'), undefined);
}

/** A sale that is over, for a repetition of what ended it: a charge of this amount, or a release. */
function ended(sale: Sale, amount: number | undefined): Sale {
  const isSame =
    amount === undefined ? sale.state === 'released' : sale.state === 'settled' && sale.charged === amount;
  if (isSame) return sale;
  throw refuse(sale.state === 'settled' ? 'hold_settled' : 'hold_released', { id: sale.saleId });
}
