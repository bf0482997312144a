import {
  boundOf,
  oneAnswer,
  plainTurns,
  replaceBody,
  withoutSchema,
  withoutTools,
} from '../../provider-kit/index.ts';
import { type JsonObject, textOf } from '../../../lib/json.ts';
import type { AdaptContext } from '../../types/index.ts';
import { readKey } from './sign.ts';
import { versionOf } from './versions.ts';

const worded = ['temperature', 'max_tokens', 'max_completion_tokens', 'top_k', 'user', 'tools'];
/** Longer names of end users are refused. */
const maxUserLength = 32;

/** A chat as one message for Spark. Only another API of the vendor has tools. */
export function adaptSpark(body: JsonObject, { channel, model, drop, query }: AdaptContext): undefined {
  oneAnswer(body);
  const turns = plainTurns(body);
  withoutTools(body, turns);
  withoutSchema(body);
  const { temperature, top_k: topK, user } = body;
  const bound = boundOf(body);
  const wanted = {
    header: {
      app_id: readKey(channel).app,
      ...(textOf(user) !== '' && { uid: textOf(user).slice(0, maxUserLength) }),
    },
    parameter: {
      chat: {
        domain: versionOf(model, channel.other, query).domain,
        ...(typeof temperature === 'number' && { temperature: Math.min(1, Math.max(0.01, temperature)) }),
        ...(bound !== undefined && { max_tokens: Math.max(1, bound) }),
        ...(typeof topK === 'number' && { top_k: Math.min(6, Math.max(1, Math.round(topK))) }),
      },
    },
    payload: { message: { text: turns.map(({ role, text }) => ({ role, content: text })) } },
  };
  replaceBody(body, wanted, worded, drop);
}
