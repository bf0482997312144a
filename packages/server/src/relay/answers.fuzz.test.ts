/** @module-tag rounds */
import { usageCounters } from '@tollgate/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { feed } from '../testing/protocols/build-relay.ts';
import { anyChanges, anyReads, fuzzed, inReads } from '../testing/fuzz/fuzz-answers.ts';
import { answersOf, callFor, type FixtureAnswer } from '../testing/wire/fixture-answers.ts';
import { sampleRequests } from '../testing/wire/wire-tests.ts';
import { callerProtocol } from './protocols.ts';
import { providers } from './registry.ts';
import type { AnswerEnd, DeliveredText, ProtocolId, Provider, UpstreamCall } from './types/index.ts';

// Any answer of a vendor is read to its end: no error is thrown, every counter is valid, and an answer marked
// complete is complete in the caller's protocol.

const isCount = (value: unknown): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

function faultsOfEnd({ usage, inputUsage, images, searchUnits, outcome, error }: AnswerEnd): string[] {
  const faults: string[] = [];
  for (const each of [usage, inputUsage]) {
    for (const name of each ? usageCounters : [])
      if (!isCount(each![name])) faults.push(`${name} is ${each![name]}`);
    const cost = usage?.reportedCost;
    if (cost !== undefined && !(Number.isFinite(cost) && cost >= 0)) faults.push(`the cost is ${cost}`);
  }
  if (images !== undefined && !isCount(images)) faults.push(`images are ${images}`);
  if (searchUnits !== undefined && !isCount(searchUnits)) faults.push(`search units are ${searchUnits}`);
  if (outcome === 'error' && !error) faults.push('an error without words');
  return faults;
}

function faultsOfText({ toolCalls, omitted, media }: DeliveredText): string[] {
  const numbers = [toolCalls, omitted, media?.imageTokens ?? 0, media?.soundSeconds ?? 0];
  return numbers.every((value) => Number.isFinite(value) && value >= 0) ? [] : [`counts ${numbers.join()}`];
}

/** The result of an answer, limited to the parts that must not depend on its split into reads. */
const shown = ({ passed, end, text }: ReturnType<typeof feed>) => ({
  outcome: end.outcome,
  usage: end.usage,
  bytes: Buffer.concat([passed, end.tail ?? Buffer.alloc(0)]).toString(),
  text,
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface Case {
  call: UpstreamCall;
  answer: FixtureAnswer;
  /** True if the caller gets one object. */
  isObject: boolean;
}

/** Every answer of a provider, for every caller protocol that the provider supports. */
function casesOf(provider: Provider): Case[] {
  const callers = (Object.keys(sampleRequests) as ProtocolId[]).filter((id) => callerProtocol(id));
  return callers.flatMap((asked) =>
    [true, false].flatMap((stream) => {
      const call = callFor(provider, asked, stream);
      if (!call) return [];
      return answersOf(provider).map((answer) => ({
        call,
        answer,
        isObject: !stream && answer.contentType === 'application/json' && asked !== 'openai-audio',
      }));
    }),
  );
}

const runs = Number(process.env.FUZZ_RUNS ?? 40);
const all = providers.map((provider) => [provider.id, casesOf(provider)] as const);

it.each(all.filter(([, cases]) => cases.length > 0))(
  'every answer of %s is read to its end without an exception',
  (_id, cases) => {
    const scenes = fc.record({
      of: fc.constantFrom(...cases),
      changes: anyChanges,
      sizes: anyReads,
      broken: fc.boolean(),
    });
    fc.assert(
      fc.property(scenes, ({ of: { call, answer, isObject }, changes, sizes, broken }) => {
        const bytes = fuzzed(answer.bytes, changes);
        const open = () => call.openPipe(200, answer.contentType);
        const once = feed(open(), [bytes], broken);
        const again = feed(open(), inReads(bytes, sizes), broken);
        for (const each of [once, again])
          expect([...faultsOfEnd(each.end), ...faultsOfText(each.text)]).toEqual([]);
        // The part that was sent before an error in the answer depends on the reads.
        if (once.end.outcome !== 'complete' && again.end.outcome !== 'complete') return;
        expect(shown(again)).toEqual(shown(once));
        expect(!isObject || isJson(shown(once).bytes.replace(/^\ufeff/, ''))).toBe(true);
      }),
      { numRuns: runs },
    );
  },
);
