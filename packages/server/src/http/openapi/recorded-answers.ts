import { consoleApis } from '@tollgate/contract';
import { readdirSync, readFileSync } from 'node:fs';
import { answerKey } from './console-operation.ts';
import { relayCalls } from './relay/calls.ts';
import type { RecordedAnswers } from './shape/types.ts';

/** Answers of a real server, which a test writes and checks: a file for each part of the reference. */
export const answersFolder = new URL('answers/', import.meta.url);

/** The parts of the reference that have calls, and the keys of their calls in the reference's order. */
export function answerKeys(): Map<string, string[]> {
  const keys = new Map(consoleApis.map(({ id, calls }) => [id, Object.values(calls).map(answerKey)]));
  for (const { tag, method, path } of relayCalls)
    keys.set(tag, [...(keys.get(tag) ?? []), `${method} ${path}`]);
  return keys;
}

/** The answers of one part; none where nothing was recorded yet. */
export const answersFile = (tag: string): URL => new URL(`${tag}.json`, answersFolder);

/** Every answer that was recorded. */
export function recordedAnswers(): RecordedAnswers {
  const files = readdirSync(answersFolder).filter((name) => name.endsWith('.json'));
  return Object.assign(
    {},
    ...files.map((name): unknown => JSON.parse(readFileSync(new URL(name, answersFolder), 'utf8'))),
  ) as RecordedAnswers;
}
