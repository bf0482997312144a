import { isChannelTest, type LogData, logType, product } from '@tollgate/contract';
import type { CsvValue } from '../../../lib/format/csv.ts';
import { costOf } from '../base/types.ts';

type Field = readonly [name: string, value: (row: LogData) => CsvValue];

/** The rows with an amount: charged calls and their refunds. */
export const isCharge = (row: LogData): boolean =>
  (row.type === logType.consume && !isChannelTest(row)) || row.type === logType.refund;

const moment = (at: number): string => new Date(at * 1000).toISOString().replace('.000Z', 'Z');

/** The start of the month (UTC) of a row, or of a later month. */
function monthOf(row: LogData, later = 0): string {
  const date = new Date(row.created_at * 1000);
  return moment(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later) / 1000);
}

/** The unit of a call: tokens, or calls if it has no tokens. */
const measured = ({ prompt_tokens: input, completion_tokens: output }: LogData) =>
  input + output > 0
    ? ({ quantity: input + output, unit: 'Tokens' } as const)
    : ({ quantity: 1, unit: 'Requests' } as const);

/**
 * The columns of FOCUS 1.2 (FinOps Open Cost and Usage Specification) that apply here, one row for each charge. There is
 * only one price, so the four costs are equal. A refund is a credit. An empty cell is null.
 */
export function focusFields(perUnit: number): readonly Field[] {
  const cost = (row: LogData) => costOf(row) / perUnit;
  const isTeam = (row: LogData) => row.team_id !== 0;
  return [
    ['BilledCost', cost],
    ['BillingAccountId', (row) => (isTeam(row) ? `organization:${row.team_id}` : `user:${row.user_id}`)],
    ['BillingAccountName', (row) => (isTeam(row) ? row.team_name : row.username)],
    ['BillingAccountType', (row) => (isTeam(row) ? 'Organization' : 'User')],
    ['BillingCurrency', () => 'USD'],
    ['BillingPeriodEnd', (row) => monthOf(row, 1)],
    ['BillingPeriodStart', (row) => monthOf(row)],
    ['ChargeCategory', (row) => (row.type === logType.refund ? 'Credit' : 'Usage')],
    ['ChargeClass', () => ''],
    [
      'ChargeDescription',
      (row) => `${row.model_name}: ${row.prompt_tokens} input, ${row.completion_tokens} output tokens`,
    ],
    ['ChargeFrequency', (row) => (row.type === logType.refund ? 'One-Time' : 'Usage-Based')],
    ['ChargePeriodEnd', (row) => moment(row.created_at + 1)],
    ['ChargePeriodStart', (row) => moment(row.created_at - row.use_time)],
    ['ConsumedQuantity', (row) => (row.type === logType.refund ? '' : measured(row).quantity)],
    ['ConsumedUnit', (row) => (row.type === logType.refund ? '' : measured(row).unit)],
    ['ContractedCost', cost],
    ['EffectiveCost', cost],
    ['InvoiceIssuerName', () => product.name],
    ['ListCost', cost],
    ['PricingCurrency', () => 'USD'],
    ['PricingQuantity', (row) => measured(row).quantity],
    ['PricingUnit', (row) => measured(row).unit],
    ['ProviderName', () => product.name],
    ['PublisherName', () => product.name],
    ['ResourceId', (row) => (row.token_id === 0 ? '' : `key:${row.token_id}`)],
    ['ResourceName', (row) => row.token_name],
    ['ServiceCategory', () => 'AI and Machine Learning'],
    ['ServiceName', () => 'Model calls'],
    ['SkuId', (row) => row.model_name],
    ['SubAccountId', (row) => `user:${row.user_id}`],
    ['SubAccountName', (row) => row.username],
    ['Tags', (row) => row.tags || '{}'],
    [`x_RequestId`, (row) => row.request_id],
  ];
}
