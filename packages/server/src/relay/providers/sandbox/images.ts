import { type JsonObject, textOf } from '../../../lib/json.ts';
import type { LocalAnswer } from '../../types/index.ts';
import { type Behaviour, typedEvents, whole } from './models.ts';
import { stripes } from './png.ts';
import { countTokens } from './chat.ts';

/** Fixed, so that the same request gives the same bytes. */
const created = 1_700_000_000;
const maxSide = 2_048;
/** What the sandbox says that each of its pictures cost. */
const tokensPerImage = 100;

/** Striped pictures of the size asked for: the same prompt, the same stripes. */
export function images(body: JsonObject, behaviour: Behaviour): LocalAnswer {
  const prompt = textOf(body.prompt);
  const count = Math.min(Number(body.n ?? 1) || 1, 10);
  const text = countTokens(prompt);
  const output = tokensPerImage * count;
  const usage = {
    input_tokens: text,
    input_tokens_details: { text_tokens: text, image_tokens: 0 },
    output_tokens: output,
    total_tokens: text + output,
  };
  const shown = behaviour.silentUsage ? {} : { usage };
  const picture = paint(prompt, textOf(body.size));
  const isStream = body.stream === true || body.stream === 'true';
  if (isStream) return stream(picture, count, shown, behaviour);
  const data = Array.from({ length: count }, () =>
    body.response_format === 'url' ? { url: `data:image/png;base64,${picture}` } : { b64_json: picture },
  );
  return whole({ created, data, ...shown }, behaviour);
}

function paint(prompt: string, size: string): string {
  const [, width = 0, height = 0] = (/^(\d{1,5})x(\d{1,5})$/.exec(size) ?? []).map(Number);
  let seed = 7;
  for (const sign of prompt) seed = (seed * 31 + sign.codePointAt(0)!) % 2 ** 21;
  const side = (asked: number) => Math.min(asked === 0 ? 1_024 : asked, maxSide);
  return stripes(side(width), side(height), seed).toString('base64');
}

/** Each image has one partial and one complete event; the last event has the usage of all. */
function stream(picture: string, count: number, shown: JsonObject, behaviour: Behaviour): LocalAnswer {
  const event = (type: string, fields: JsonObject) => ({
    type: `image_generation.${type}`,
    b64_json: picture,
    created_at: created,
    ...fields,
  });
  const events = Array.from({ length: count }, (_, index) => [
    event('partial_image', { partial_image_index: 0 }),
    event('completed', index === count - 1 ? shown : {}),
  ]);
  return typedEvents(events.flat(), behaviour);
}
