import {
  alternating,
  oneAnswer,
  plainTurns,
  replaceBody,
  withoutSchema,
  withoutTools,
} from '../../provider-kit/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { AdaptContext } from '../../types/index.ts';

/** Both bounds are refused. */
const within = (value: unknown): number | undefined =>
  typeof value === 'number' ? Math.min(0.99, Math.max(0.01, value)) : undefined;

/** The model's reply to instructions, for which this API has no role. */
const agreed = 'Okay';

/** A turn without text is refused. */
const noWords = ' ';

/** A chat in the format of Zhipu's third API: a list of turns, alternately of user and assistant. */
export function adaptPrompt(body: JsonObject, { drop }: AdaptContext): undefined {
  oneAnswer(body);
  const turns = plainTurns(body);
  withoutTools(body, turns);
  withoutSchema(body);
  const prompt = alternating([
    ...turns.filter(({ role }) => role === 'system'),
    ...turns.filter(({ role }) => role !== 'system'),
  ]).flatMap(({ role, text }) =>
    role === 'system'
      ? [
          { role: 'user', content: text },
          { role: 'assistant', content: agreed },
        ]
      : [{ role, content: text === '' ? noWords : text }],
  );
  const { temperature, top_p: topP } = body;
  const wanted = { prompt, temperature: within(temperature), top_p: within(topP), incremental: true };
  replaceBody(body, wanted, ['temperature', 'top_p', 'tools'], drop);
}
