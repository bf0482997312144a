import { product } from '@tollgate/contract';
import { holdSale, releaseSale, type SaleDeps, settleSale } from '../../gateway/index.ts';
import type { Sale } from '../../services/calls/tasks/index.ts';
import { type AuthorizedRequest, readBodyOf, readJson } from './read-call.ts';

export interface SaleRouteDeps {
  sales: SaleDeps;
  dollars: (quota: number) => number;
  maxBodyBytes: number;
  /** Throws if the key of a request may not begin a call. */
  checkKey(authorized: AuthorizedRequest): Promise<unknown>;
}

/** An answer, and its headers beside the usual ones. */
interface SaleAnswer {
  body: object;
  headers: Record<string, string>;
}

/** Holds, settles or releases an amount for something that an application sells. Throws the error. */
export async function answerSale(deps: SaleRouteDeps, authorized: AuthorizedRequest): Promise<SaleAnswer> {
  const raw = await readBodyOf(authorized, deps.maxBodyBytes);
  const { json } = readJson(raw);
  const call = { ...authorized, raw };
  switch (authorized.matched.route.kind) {
    case 'settle-hold': {
      const sale = await settleSale(deps.sales, call, json, () => deps.checkKey(authorized));
      return { body: describe(deps, sale), headers: { [product.headers.cost]: String(sale.charged) } };
    }
    case 'release-hold':
      return { body: describe(deps, await releaseSale(deps.sales, call, json)), headers: {} };
    default: {
      const { sale, isNew } = await holdSale(deps.sales, call, json, (model) => (authorized.model = model));
      return { body: describe(deps, sale), headers: isNew ? {} : { 'idempotent-replayed': 'true' } };
    }
  }
}

function describe({ dollars }: SaleRouteDeps, sale: Sale): object {
  const money = (quota: number): object => ({ quota, usd: dollars(quota) });
  return {
    object: 'hold',
    id: sale.saleId,
    request_id: sale.requestId,
    name: sale.name,
    status: sale.state,
    held: money(sale.held),
    charged: sale.state === 'settled' ? money(sale.charged) : null,
    expires_at: Math.floor(sale.until / 1_000),
  };
}
