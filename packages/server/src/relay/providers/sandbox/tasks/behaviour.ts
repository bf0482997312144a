import type { JsonObject } from '../../../../lib/json.ts';
import { textOf } from '../../../../lib/json.ts';

/**
 * Behaviour of a drawing or a song, chosen by a text in the prompt: `sandbox-slow` takes a minute, `sandbox-fail`
 * fails in the end, `sandbox-refuse` is refused.
 */
export type Behaviour = 'usual' | 'slow' | 'fail';

/** Ms from the request to the end; at first the task waits in a queue. */
const durationMs: Readonly<Record<Behaviour, number>> = { usual: 4_000, slow: 60_000, fail: 4_000 };
const queueMs = 1_000;

/** Fields that may have the text. */
const fields = ['prompt', 'gpt_description_prompt', 'title', 'mv', 'content'];

/** The pace that a request sets; 'refuse' if it requests a refusal. */
export function behaviourOf(body: JsonObject): Behaviour | 'refuse' {
  const words = fields.map((name) => textOf(body[name])).join(' ');
  const word = /sandbox-(slow|fail|refuse)/.exec(words)?.[1];
  return word === 'slow' || word === 'fail' || word === 'refuse' ? word : 'usual';
}

/** Progress of a task: 0 to 99 while it runs. */
export type Stage = { at: 'queued' } | { at: 'made'; percent: number } | { at: 'done' } | { at: 'failed' };

/** Queued, in progress at an even pace, then finished or failed, by the clock. */
export function stageOf(
  { begunAt, behaviour }: { begunAt: number; behaviour: Behaviour },
  nowMs: number,
): Stage {
  const elapsed = nowMs - begunAt;
  if (elapsed < queueMs) return { at: 'queued' };
  if (elapsed < durationMs[behaviour])
    return { at: 'made', percent: Math.floor((elapsed / durationMs[behaviour]) * 100) };
  return behaviour === 'fail' ? { at: 'failed' } : { at: 'done' };
}
