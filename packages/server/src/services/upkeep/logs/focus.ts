import {
  type CsvValue,
  csvLine,
  csvStart,
  isChannelTest,
  logType,
  product,
  singlePrice,
  type SinglePrice,
} from '@tollgate/contract';
import { windowAt } from '../../../lib/calendar-windows.ts';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { ArchiveUnavailable, type Db, logs as logRows } from '../../../store/index.ts';
import { isSaleModel } from '../../calls/tasks/index.ts';
import { exactDollars } from '../../money/statements/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import { fieldsOf, linesOf } from './receipt.ts';
import { filterOf, teamNames } from './service.ts';
import type { LogRow } from './view.ts';

// FOCUS 1.2: FinOps Open Cost and Usage Specification, https://focus.finops.org/focus-specification/v1-2

export interface FocusDeps {
  /** A connection for reading many rows. */
  reports: Db;
  settings: Pick<Settings, 'get'>;
  clock: Clock;
}

/** The charges of log rows in the columns of FOCUS 1.2. */
export interface FocusExport {
  /**
   * The pieces of a CSV file, the newest charge first: of all users, or of one. Read as they are taken, up to the moment
   * of the call. Throws `ArchiveUnavailable` instead of leaving older rows out.
   */
  csv(filters: Parameters<typeof filterOf>[0], userId?: number): AsyncGenerator<string>;
}

/** A row with what its columns need. */
interface Charge {
  row: LogRow;
  /** Name of the paying team; '' for none and for a deleted one. */
  team: string;
  /** Of the month of the charge, in the time zone of statements. */
  month: { start: number; end: number };
  /** Text in dollars; negative for a refund. */
  cost: string;
  /** Its unit price, if it has one; the columns may be null for others. */
  price: SinglePrice | undefined;
  /** True for a refund or correction of a charge of an earlier month. */
  isLate: boolean;
  site: string;
}

type Column = readonly [name: string, value: (charge: Charge) => CsvValue];

const moment = (at: number): string => new Date(at * 1_000).toISOString().replace('.000Z', 'Z');
const isRefund = (row: LogRow): boolean => row.type === logType.refund;
const isTeam = (row: LogRow): boolean => row.team_id !== 0;
const accountOf = (row: LogRow): string =>
  isTeam(row) ? `organization:${row.team_id}` : `user:${row.user_id}`;

/** True for what an application sold, which no channel served. */
const isSale = (row: LogRow): boolean => row.channel_id === 0 && isSaleModel(row.model_name);

/** What a charge is for. */
function describe(row: LogRow): string {
  if (isRefund(row)) return `${row.model_name}: refund`;
  if (isSale(row)) return `${row.model_name}: sold by an application`;
  return `${row.model_name}: ${row.prompt_tokens} input, ${row.completion_tokens} output tokens`;
}

/** The unit price of a charge by the lines of its row; undefined for several prices, and for refunds. */
function priceOf(row: LogRow, perUnit: number): SinglePrice | undefined {
  const lines = isRefund(row) ? null : linesOf(fieldsOf(row.other).receipt);
  try {
    return lines ? singlePrice(lines.terms, row.quota, perUnit) : undefined;
  } catch {
    // The row is damaged.
    return undefined;
  }
}

const priced = { token: 'Tokens', call: 'Requests' };

/** The unit of a call: tokens, or requests if it has no tokens. */
function measured({ prompt_tokens: input, completion_tokens: output }: LogRow) {
  const tokens = input + output;
  return tokens > 0 ? { quantity: tokens, unit: 'Tokens' } : { quantity: 1, unit: 'Requests' };
}

const cost = ({ cost: dollars }: Charge): string => dollars;
const unitPrice = ({ price }: Charge): string => price?.dollars ?? '';
const quantity = ({ row }: Charge): number => measured(row).quantity;
const unit = ({ row }: Charge): string => measured(row).unit;
/** The key that made a call, if one did. */
const ofKey =
  (value: (row: LogRow) => string) =>
  ({ row }: Charge): string =>
    row.token_id === 0 ? '' : value(row);

/**
 * The columns that apply here, one row for each charge; an empty cell is null. Most models have several prices, so there is a
 * unit price only for a charge that has one. As there are no discounts, the four costs and both prices are equal. A refund is usage below zero, and a
 * correction if its charge is in an earlier month.
 */
const columns: readonly Column[] = [
  ['BilledCost', cost],
  ['BillingAccountId', ({ row }) => accountOf(row)],
  ['BillingAccountName', ({ row, team }) => (isTeam(row) ? team || accountOf(row) : row.username)],
  ['BillingAccountType', ({ row }) => (isTeam(row) ? 'Organization' : 'User')],
  ['BillingCurrency', () => 'USD'],
  ['BillingPeriodEnd', ({ month }) => moment(month.end)],
  ['BillingPeriodStart', ({ month }) => moment(month.start)],
  ['ChargeCategory', () => 'Usage'],
  ['ChargeClass', ({ isLate }) => (isLate ? 'Correction' : '')],
  ['ChargeDescription', ({ row }) => describe(row)],
  ['ChargeFrequency', ({ row }) => (isRefund(row) ? 'One-Time' : 'Usage-Based')],
  ['ChargePeriodEnd', ({ row }) => moment(row.created_at + 1)],
  ['ChargePeriodStart', ({ row }) => moment(row.created_at - row.use_time)],
  ['ConsumedQuantity', (charge) => (charge.isLate ? '' : quantity(charge))],
  ['ConsumedUnit', (charge) => (charge.isLate ? '' : unit(charge))],
  ['ContractedCost', cost],
  ['ContractedUnitPrice', unitPrice],
  ['EffectiveCost', cost],
  ['InvoiceIssuerName', ({ site }) => site],
  ['ListCost', cost],
  ['ListUnitPrice', unitPrice],
  ['PricingCategory', () => 'Standard'],
  ['PricingQuantity', (charge) => charge.price?.quantity ?? quantity(charge)],
  ['PricingUnit', (charge) => (charge.price ? priced[charge.price.per] : unit(charge))],
  ['ProviderName', ({ site }) => site],
  ['PublisherName', () => product.name],
  ['ResourceId', ofKey((row) => `key:${row.token_id}`)],
  ['ResourceName', ofKey((row) => row.token_name)],
  ['ResourceType', ofKey(() => 'API key')],
  ['ServiceCategory', ({ row }) => (isSale(row) ? 'Other' : 'AI and Machine Learning')],
  ['ServiceName', ({ row }) => (isSale(row) ? 'Applications' : 'Model calls')],
  ['ServiceSubcategory', ({ row }) => (isSale(row) ? 'Other (Other)' : 'Generative AI')],
  ['SkuId', ({ row }) => row.model_name],
  ['SubAccountId', ({ row }) => `user:${row.user_id}`],
  ['SubAccountName', ({ row }) => row.username],
  ['SubAccountType', () => 'User'],
  ['Tags', ({ row }) => row.tags || '{}'],
  ['x_RequestId', ({ row }) => row.request_id],
];

/** Names of the columns, in their order. */
export const focusColumns: readonly string[] = columns.map(([name]) => name);

/** Rows read per statement. */
const rowsAtOnce = 2_000;

export function createFocusExport({ reports, settings, clock }: FocusDeps): FocusExport {
  return {
    async *csv(filters, userId) {
      let text = csvStart + csvLine(focusColumns);
      const filter = { ...filterOf(filters), ...(userId !== undefined && { userId }) };
      const monthOf = monthsIn(settings.get('AlarmTimeZone'));
      const perUnit = settings.get('QuotaPerUnit');
      const dollars = exactDollars(perUnit);
      const site = settings.get('SystemName');
      for await (const rows of pages(reports, { ...filter, end: filter.end ?? seconds(clock) })) {
        const charges = rows.filter(isCharge);
        const teams = await teamNames(reports, charges);
        const refunded = charges.filter(isRefund).map((row) => row.request_id);
        const calls = await logRows.timesOfCalls(reports, refunded);
        for (const row of charges) {
          const month = monthOf(row.created_at);
          const charge: Charge = {
            row,
            team: teams.get(row.team_id) ?? '',
            month,
            price: priceOf(row, perUnit),
            cost: dollars(isRefund(row) ? 0 - row.quota : row.quota),
            isLate: isRefund(row) && (calls.get(row.request_id) ?? row.created_at) < month.start,
            site,
          };
          text += csvLine(columns.map(([, value]) => value(charge)));
        }
        yield text;
        text = '';
      }
    },
  };
}

/** The rows with an amount: charged calls and their refunds. */
const isCharge = (row: LogRow): boolean =>
  (row.type === logType.consume && !isChannelTest(row)) || isRefund(row);

/**
 * All rows of a filter, the newest first. Each page begins at the second at which the one before it ended, after the rows
 * of that second, so that far pages cost as little as near ones.
 */
async function* pages(db: Db, filter: logRows.LogFilter): AsyncGenerator<LogRow[]> {
  let end = filter.end;
  let offset = 0;
  for (;;) {
    const page = { ...filter, ...(end !== undefined && { end }) };
    const { rows, olderMissing } = await logRows.list(db, page, { offset, limit: rowsAtOnce });
    if (olderMissing) throw new ArchiveUnavailable(undefined);
    yield rows;
    const last = rows.at(-1)?.created_at;
    if (last === undefined || rows.length < rowsAtOnce) return;
    const ofLast = rows.filter((row) => row.created_at === last).length;
    offset = last === end ? offset + ofLast : ofLast;
    end = last;
  }
}

/** The month of a moment; consecutive rows are mostly in the same one. */
function monthsIn(timeZone: string): (at: number) => { start: number; end: number } {
  let month = { start: 0, end: 0 };
  return (at) => {
    if (at < month.start || at >= month.end) month = windowAt('month', timeZone, at);
    return month;
  };
}
