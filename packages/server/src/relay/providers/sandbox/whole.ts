import type { JsonObject } from '../../../lib/json.ts';
import type { LocalAnswer } from '../../types/index.ts';
import type { Behaviour } from './models.ts';

/** One JSON object after the head's delay. */
export const whole = (body: JsonObject, behaviour: Behaviour, status = 200): LocalAnswer => {
  const bytes = Buffer.from(JSON.stringify(body));
  const isBroken = behaviour.breaks !== undefined;
  return {
    status,
    headers: { 'content-type': 'application/json' },
    headDelayMs: behaviour.headDelayMs,
    chunks: [{ delayMs: 0, bytes: isBroken ? bytes.subarray(0, bytes.length >> 1) : bytes }],
    ending: behaviour.breaks ?? 'end',
  };
};
