import { prepareSnapshot, price, type PriceSnapshot, type Usage, usageOf } from '@tollgate/contract';
import { countLines } from '../testing/count-lines.ts';
import { describe, expect, test } from 'vitest';
import {
  type PublishedCallPrice,
  type PublishedPrice,
  publishedPrices,
} from '../testing/published-prices.ts';
import { allRecordedUsage, haveRecordings, type UsageRow } from '../testing/protocols/recordings.ts';
import { pathOf, usageProtocolOf, usageProtocols } from '../testing/protocols/usage-protocols.ts';
import { type JsonObject, objectOf } from '../lib/json.ts';

const quotaPerDollar = 500_000;

/** The vendor's cost of the call, in US dollars; undefined if it is not reported. */
function costIn({ usage }: UsageRow): number | undefined {
  const raw = usage as JsonObject;
  const ticks = raw.cost_in_usd_ticks;
  if (typeof ticks === 'number') return ticks / 1e10;
  const reported = [
    raw.is_byok === true ? objectOf(raw.cost_details).upstream_inference_cost : raw.cost,
    objectOf(raw.cost).total_cost,
    objectOf(raw.pydantic_ai_gateway).cost_estimate,
  ];
  return reported.find((cost) => typeof cost === 'number');
}

const isByCall = (given: PublishedPrice | PublishedCallPrice): given is PublishedCallPrice => 'call' in given;

/** A list price as the ratios that an administrator would set. */
function snapshotOf(given: PublishedPrice | PublishedCallPrice): PriceSnapshot {
  const list = isByCall(given) ? { input: 0, output: 0 } : given;
  const by = (value: number | undefined): number =>
    value === undefined || list.input === 0 ? 1 : value / list.input;
  return prepareSnapshot({
    mode: isByCall(given) ? 'call' : 'ratio',
    modelRatio: list.input / 2,
    completionRatio: by(list.output),
    cacheRatio: by(list.cacheRead),
    cacheWriteRatio: by(list.cacheWrite),
    cacheWrite1hRatio: by(list.cacheWrite),
    imageRatio: 1,
    audioRatio: 1,
    audioCompletionRatio: by(list.output),
    groupRatio: 1,
    modelPrice: isByCall(given) ? given.call : -1,
    webSearchPrice: list.search ?? 0,
    fileSearchPrice: 0,
    quotaPerUnit: quotaPerDollar,
    unset: false,
  });
}

/** Further charges of a vendor beside tokens and searches, in US dollars, with the reason. */
interface Beside {
  reason: string;
  applies(row: UsageRow): boolean;
  dollars(row: UsageRow, usage: Usage): number;
}

const ownKey = 'the customer’s own key: OpenRouter itself takes nothing, the cost is what the vendor takes';

const details = (row: UsageRow): JsonObject => objectOf((row.usage as JsonObject).prompt_tokens_details);
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

const besides: Beside[] = [
  {
    reason:
      'Gemini’s cache is let by the hour: tokens read for the first time cost five minutes of it at $1 per million',
    applies: (row) => /gemini/.test(row.model ?? '') && number(details(row).cache_write_tokens) > 0,
    dollars: (row) => (number(details(row).cache_write_tokens) * 1e-6 * 5) / 60,
  },
  {
    reason: 'image output has a price of its own, $30 per million, where a model writes text beside it',
    applies: (row) => row.url.endsWith('/images') && row.vendor === 'openrouter',
    dollars: (_row, usage) => usage.imageOutput * (30 - 1.5) * 1e-6,
  },
  {
    reason: 'parts rounded to a thousandth of a cent',
    applies: ({ vendor, usage }) => vendor === 'perplexity' && 'search_context_size' in usage,
    dollars: ({ usage, model }, { input, output }) => {
      const cost = objectOf((usage as JsonObject).cost);
      const [inPrice, outPrice] = model === 'sonar' ? [1, 1] : [3, 15];
      const rounding = (part: unknown, exact: number): number => {
        expect(Math.abs(number(part) - exact)).toBeLessThan(1.001e-5 / 2 + 1e-9);
        return number(part) - exact;
      };
      return (
        rounding(cost.input_tokens_cost, input * inPrice * 1e-6) +
        rounding(cost.output_tokens_cost, output * outPrice * 1e-6)
      );
    },
  },
  {
    reason: ownKey,
    applies: ({ usage }) => usage.is_byok === true,
    dollars: () => 0,
  },
];

interface Compared {
  model: string;
  reason: string;
  /** US dollars. */
  vendor: number;
  ours: number;
  quota: number;
}

const modelOf = (row: UsageRow): string => `${row.vendor} ${row.model ?? pathOf(row)}`;

/** Undefined for unsupported calls, and for models without a list price in this test. */
function compare(row: UsageRow, vendor: number): Compared | undefined {
  const protocol = usageProtocolOf(row);
  const list = publishedPrices[modelOf(row)];
  if (protocol === null || 'reason' in protocol || !list) return undefined;
  const usage = usageProtocols[protocol.name].read(row.usage as JsonObject) ?? usageOf();
  const bill = price(usage, snapshotOf(list), isByCall(list) ? { calls: 1 } : {});
  const exact = bill.terms.reduce((sum, { amount }) => sum + Number(amount), 0) / quotaPerDollar;
  const beside = besides.find((one) => one.applies(row));
  return {
    model: modelOf(row),
    reason: beside?.reason ?? 'the same',
    vendor,
    ours: exact + (beside?.dollars(row, usage) ?? 0),
    quota: bill.quota,
  };
}

describe.skipIf(!haveRecordings)(
  'a cost that a vendor reports (skipped where the recordings are not there)',
  () => {
    const priced = (haveRecordings ? allRecordedUsage() : []).flatMap((row) => {
      const cost = costIn(row);
      return cost === undefined ? [] : [{ row, compared: compare(row, cost) }];
    });
    const reported = priced.flatMap(({ compared }) => compared ?? []);

    test('is the result of our formula at the published price, to a ten-thousandth of a millionth of a dollar', () => {
      const wrong = reported.filter(({ vendor, ours }) => Math.abs(vendor - ours) > 1.0001e-10);
      expect(wrong).toEqual([]);
      expect(reported.length).toBeGreaterThan(0);
    });

    test('is charged in whole units, rounded once, and at least one', () => {
      const wrong = reported.filter(({ reason, vendor, quota }) => {
        if (reason !== 'the same' && reason !== ownKey) return false;
        const units = vendor * quotaPerDollar;
        // Ratios have nine decimal places: a third is slightly too small, and a half that depends on it may round
        // either way.
        return quota === 1 ? units >= 1.5 : Math.abs(quota - units) > 0.5 + 1e-6;
      });
      expect(wrong).toEqual([]);
    });

    test('is listed by model and by the fields beside its tokens', () => {
      const names = priced.map(({ row, compared }) => {
        if (compared) return `${compared.model} · ${compared.reason}`;
        const protocol = usageProtocolOf(row);
        const reason =
          protocol && 'reason' in protocol ? protocol.reason : 'its list price is not known here';
        return `${modelOf(row)} · not compared: ${reason}`;
      });
      console.log(`costs compared: ${reported.length} of ${priced.length}\n${countLines(names)}`);
      expect(reported.length).toBeGreaterThan(priced.length / 2);
    });
  },
);
