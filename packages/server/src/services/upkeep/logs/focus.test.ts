import { defaultQuotaPerUnit, logType, testTokenName } from '@tollgate/contract';
import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { logs, type Store } from '../../../store/index.ts';
import { createFocusExport, type FocusDeps, focusColumns } from './focus.ts';
import type { LogRow } from './view.ts';

const now = Date.UTC(2026, 10, 23, 3) / 1_000;
const lastMonth = Date.UTC(2026, 9, 5) / 1_000;
const values: Record<string, unknown> = {
  AlarmTimeZone: 'Asia/Shanghai',
  QuotaPerUnit: defaultQuotaPerUnit,
  SystemName: 'Gate',
};

eachDialect('charges in the columns of FOCUS 1.2', ({ open }) => {
  let store: Store;
  let deps: FocusDeps;
  beforeEach(async () => {
    store = await open();
    const settings = { get: (key: string) => values[key] } as FocusDeps['settings'];
    deps = { reports: store.reports, settings, clock: () => now * 1_000 };
  });

  const write = (...rows: Partial<LogRow>[]): Promise<void> =>
    logs.insert(
      store.db,
      rows.map((row) => ({
        ...logs.blank,
        user_id: 2,
        username: 'ann',
        type: logType.consume,
        content: '',
        token_id: 3,
        token_name: 'laptop',
        model_name: 'gpt-4o',
        quota: 243,
        created_at: now - 10,
        ...row,
      })),
    );

  /** Lines by the name of their column. Only descriptions have a comma, and are in quotes. */
  async function read(filters: object = {}, userId?: number): Promise<Record<string, string>[]> {
    let text = '';
    const none = {
      type: 0,
      start_timestamp: 0,
      end_timestamp: 0,
      token_name: '',
      model_name: '',
      group: '',
      request_id: '',
    };
    for await (const piece of createFocusExport(deps).csv({ ...none, ...filters }, userId)) text += piece;
    const [head, ...lines] = text
      .replace(/^\uFEFF/, '')
      .split('\r\n')
      .slice(0, -1);
    expect(head).toBe(focusColumns.join(','));
    return lines.map((line) => {
      const cells = line.replace(/"[^"]*"/, 'quoted').split(',');
      return Object.fromEntries(focusColumns.map((name, at) => [name, cells[at] ?? '']));
    });
  }

  it('have those that are mandatory', () => {
    const mandatory =
      'BilledCost BillingAccountId BillingAccountName BillingAccountType BillingCurrency BillingPeriodEnd ' +
      'BillingPeriodStart ChargeCategory ChargeClass ChargeDescription ChargePeriodEnd ChargePeriodStart ContractedCost ' +
      'EffectiveCost InvoiceIssuerName ListCost PricingQuantity PricingUnit ProviderName PublisherName ServiceCategory ServiceName';
    expect(focusColumns).toEqual(expect.arrayContaining(mandatory.split(' ')));
  });

  it('have a unit price if their lines have one, which gives the cost, and otherwise none', async () => {
    const receipt = (...terms: [what: string, count: number, unit: string][]) =>
      JSON.stringify({
        receipt: {
          terms: terms.map(([what, count, unit]) => ({ what, count, unit, amount: '0' })),
          minimum: 1,
        },
      });
    const cases: [quota: number, other: string, row?: Partial<LogRow>][] = [
      [16_000, receipt(['calls', 2, '8000'])],
      [30, receipt(['input', 12, '1.5'], ['cacheRead', 8, '1.5'], ['output', 4, '0'])],
      // Several prices, a rounded charge, a charge that was not collected whole, uses of tools, a refund, other rows.
      [30, receipt(['input', 10, '1'], ['output', 10, '2'])],
      [2, receipt(['input', 1, '1.5'])],
      [20, receipt(['input', 20, '1.5'])],
      [100, receipt(['webSearchCalls', 1, '100'])],
      [30, receipt(['input', 20, '1.5']), { type: logType.refund }],
      [30, '{"receipt":{"terms":[{"what":"input","count":20,"unit":"x","amount":"1"}]}}'],
      [30, ''],
    ];
    await write(
      ...cases.map(([quota, other, row], n) => ({ quota, other, created_at: now - 99 + n, ...row })),
    );
    const found = (await read()).toReversed();
    expect(
      found.map((row) => [row['PricingQuantity'], row['PricingUnit'], row['ListUnitPrice'], row['ListCost']]),
    ).toEqual([
      ['2', 'Requests', '0.016', '0.032000'],
      ['20', 'Tokens', '0.000003', '0.000060'],
      ...cases
        .slice(2)
        .map(([quota, , row]) => [
          '1',
          'Requests',
          '',
          `${row ? '-' : ''}${(quota / defaultQuotaPerUnit).toFixed(6)}`,
        ]),
    ]);
    for (const row of found) expect(row['ContractedUnitPrice']).toBe(row['ListUnitPrice']);
  });

  it('of applications are no calls of models', async () => {
    await write({ model_name: 'app:ocr-pages' }, { model_name: 'app:real-model', channel_id: 7 });
    expect(await read()).toMatchObject([
      { SkuId: 'app:real-model', ServiceCategory: 'AI and Machine Learning', ServiceName: 'Model calls' },
      { ChargeDescription: 'app:ocr-pages: sold by an application', ServiceCategory: 'Other' },
    ]);
  });

  it('are calls and their refunds, and follow its rules', async () => {
    await write(
      { request_id: 'old', created_at: lastMonth },
      { request_id: 'tokens', created_at: now - 9, prompt_tokens: 10, completion_tokens: 5, use_time: 3 },
      { request_id: 'playground', created_at: now - 8, token_id: 0, token_name: 'Playground', team_id: 77 },
      { request_id: 'tokens', created_at: now - 7, type: logType.refund, quota: 43 },
      { request_id: 'old', created_at: now - 6, type: logType.refund, quota: -20 },
      { created_at: now - 5, type: logType.topup },
      { created_at: now - 4, type: logType.error },
      { created_at: now - 3, token_id: 0, token_name: testTokenName },
      { created_at: now + 5 },
    );
    const found = await read();
    expect(found.map((row) => [row['x_RequestId'], row['BilledCost'], row['ChargeClass']])).toEqual([
      ['old', '0.000040', 'Correction'],
      ['tokens', '-0.000086', ''],
      ['playground', '0.000486', ''],
      ['tokens', '0.000486', ''],
      ['old', '0.000486', ''],
    ]);
    for (const row of found) {
      // The rules of https://focus.finops.org/focus-specification/v1-2 for the columns that may be null.
      expect(row['ChargeCategory']).toBe('Usage');
      for (const each of ['ContractedCost', 'EffectiveCost', 'ListCost'])
        expect(row[each]).toBe(row['BilledCost']);
      const used = `${row['ConsumedQuantity']} ${row['ConsumedUnit']}`;
      expect(used).toMatch(row['ChargeClass'] === '' ? /^[1-9]\d* (Tokens|Requests)$/ : /^ $/);
      expect(Number(row['PricingQuantity'])).toBeGreaterThan(0);
      const key = [row['ResourceId'], row['ResourceName'], row['ResourceType']];
      expect(key).toEqual(row['ResourceId'] ? ['key:3', 'laptop', 'API key'] : ['', '', '']);
      expect(row['SkuId']).toBe('gpt-4o');
      expect(row['ChargePeriodStart']! < row['ChargePeriodEnd']!).toBe(true);
    }
    const [correction, , playground, tokens] = found;
    // The month of statements, in the time zone of the site.
    expect(correction).toMatchObject({
      BillingPeriodStart: '2026-10-31T16:00:00Z',
      BillingPeriodEnd: '2026-11-30T16:00:00Z',
      ConsumedQuantity: '',
      ProviderName: 'Gate',
    });
    expect(tokens).toMatchObject({
      ConsumedQuantity: '15',
      ChargePeriodStart: '2026-11-23T02:59:48Z',
      ChargePeriodEnd: '2026-11-23T02:59:52Z',
      BillingAccountId: 'user:2',
      SubAccountName: 'ann',
    });
    expect(playground).toMatchObject({
      BillingAccountId: 'organization:77',
      BillingAccountName: 'organization:77',
      ConsumedUnit: 'Requests',
    });
    expect(await read({ start_timestamp: now - 9, end_timestamp: now - 8 })).toHaveLength(2);
    expect(await read({}, 9)).toEqual([]);
  });

  it('are each in the file once, however many ended in the same second', { timeout: 60_000 }, async () => {
    const seconds = [...Array<number>(1_999).fill(1), ...Array<number>(2_500).fill(2), 3, 4, 4, 5];
    const rows = seconds.map((ago, n) => ({ request_id: `r${n}`, created_at: now - ago }));
    for (let at = 0; at < rows.length; at += 500) await write(...rows.slice(at, at + 500));
    const ids = (await read()).map((row) => row['x_RequestId']);
    expect(ids).toHaveLength(rows.length);
    expect(new Set(ids).size).toBe(rows.length);
  });
});
