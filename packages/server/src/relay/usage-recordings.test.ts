import { inputTokens, outputTokens, type Usage, usageCounters } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { countLines } from '../testing/count-lines.ts';
import { allRecordedUsage, haveRecordings, type UsageRow } from '../testing/protocols/recordings.ts';
import { type Reported, usageProtocolOf, usageProtocols } from '../testing/protocols/usage-protocols.ts';
import type { JsonObject } from '../lib/json.ts';

/** Vendor figures that do not add up as reported: the condition, and the meaning of the figures. */
interface Oddity {
  reason: string;
  applies(reported: Reported, row: UsageRow): boolean;
  /** The figures that the vendor charges. */
  means(reported: Reported, row: UsageRow): Reported;
}

const total = ({ total: all, input, output }: Reported): number => all ?? input + output;

const oddities: Oddity[] = [
  {
    reason:
      'sound told by its length: a thousand tokens the minute, begun seconds counted whole (docs/compatibility.md#charge)',
    applies: (_told, { usage }) => usage.type === 'duration',
    means: (reported, { usage }) => ({
      ...reported,
      input: Math.round((Math.ceil(Number(usage.seconds)) * 1_000) / 60),
      total: undefined,
    }),
  },
  {
    reason: 'a total alone: all of it is input (Voyage, rerankers)',
    applies: ({ input, output }) => input + output === 0,
    means: (reported) => ({ ...reported, input: total(reported) }),
  },
  {
    reason: 'sound stands beside prompt_tokens and in the total (Mistral)',
    applies: (reported, { vendor }) =>
      vendor === 'mistral' && total(reported) > reported.input + reported.output,
    means: (reported) => ({ ...reported, input: total(reported) - reported.output }),
  },
  {
    reason: 'thoughts stand beside completion_tokens and in the total (Gemini as OpenAI)',
    applies: (reported, { vendor }) =>
      vendor === 'gemini' && total(reported) > reported.input + reported.output,
    means: (reported) => {
      const reasoning = total(reported) - reported.input - reported.output;
      return { ...reported, output: reported.output + reasoning, reasoning };
    },
  },
  {
    reason: 'more tokens cached than there were: cut to the prompt, which is what is charged (Grok at Azure)',
    applies: ({ cached, input }, { vendor }) => vendor === 'azure-ai' && cached > input,
    means: (reported) => ({ ...reported, cached: reported.input }),
  },
];

/** Usage without tokens, by reason. */
const empty: [reason: string, applies: (row: UsageRow) => boolean][] = [
  ['all zeros', ({ usage }) => ['total_tokens', 'input_tokens'].some((name) => usage[name] === 0)],
  [
    'a cost and no tokens: images at a price each (xAI)',
    ({ vendor, usage }) => vendor === 'xai' && Object.keys(usage).length === 1,
  ],
];

const sums = (usage: Usage) => ({
  input: inputTokens(usage),
  output: outputTokens(usage),
  cached: usage.cacheRead,
  reasoning: usage.reasoning,
});

/** Result for one object: the reason it counts under, and the error in it. */
function look(row: UsageRow): { protocol: string; reason: string; wrong?: unknown } {
  const protocol = usageProtocolOf(row);
  if (protocol === null) return { protocol: '?', reason: 'nobody knows this call', wrong: row };
  if ('reason' in protocol) return { protocol: '–', reason: protocol.reason };
  const reader = usageProtocols[protocol.name];
  const raw = row.usage as JsonObject;
  const usage = reader.read(raw);
  if (!usage) {
    const reason = empty.find(([, applies]) => applies(row))?.[0];
    return { protocol: protocol.name, reason: reason ?? 'nothing was read', ...(!reason && { wrong: row }) };
  }
  const reported = reader.reported(raw);
  const odd = oddities.find((one) => one.applies(reported, row));
  const meant = odd ? odd.means(reported, row) : reported;
  const { input, output, cached, reasoning } = meant;
  const bad = usageCounters.some((name) => usage[name] < 0 || !Number.isSafeInteger(usage[name]));
  const found = sums(usage);
  const agrees =
    !bad &&
    found.input === input &&
    found.output === output &&
    found.cached === cached &&
    found.reasoning === reasoning &&
    found.input + found.output === total(meant);
  const reason = odd?.reason ?? 'adds up';
  return { protocol: protocol.name, reason, ...(!agrees && { wrong: { row, usage } }) };
}

describe.skipIf(!haveRecordings)(
  'every recorded usage object (skipped where the recordings are not there)',
  () => {
    const rows = haveRecordings ? allRecordedUsage() : [];
    const looked = rows.map((row) => ({ vendor: row.vendor, ...look(row) }));

    test('is read into counters that do not overlap, are not negative and add up to what its vendor reports', () => {
      expect(looked.flatMap(({ wrong }) => (wrong === undefined ? [] : [wrong]))).toEqual([]);
      expect(looked.length).toBeGreaterThan(0);
    });

    test('is counted: by vendor, protocol and reason', () => {
      const names = looked.map(({ vendor, protocol, reason }) => `${vendor} · ${protocol} · ${reason}`);
      console.log(`usage objects: ${looked.length}\n${countLines(names)}`);
      expect(names.filter((name) => name.endsWith(' · adds up')).length).toBeGreaterThan(rows.length / 2);
    });
  },
);
