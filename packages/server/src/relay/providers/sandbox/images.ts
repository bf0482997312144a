import { type JsonObject, textOf } from '../../../lib/json.ts';
import type { LocalAnswer } from '../../types/index.ts';
import { type Behaviour, typedEvents, whole, countTokens } from './chat.ts';
import { media } from './media.ts';

/** Fixed, so that the same request gives the same bytes. */
const created = 1_700_000_000;
/** The size of all its pictures, for any requested size: the answer reports it. */
const size = '512x512';
/** Reported usage of each picture. */
const tokensPerImage = 100;

/** The same picture, as many times as requested. */
export function images(body: JsonObject, behaviour: Behaviour): LocalAnswer {
  const count = Math.min(Number(body.n ?? 1) || 1, 10);
  const text = countTokens(textOf(body.prompt));
  const output = tokensPerImage * count;
  const usage = {
    input_tokens: text,
    input_tokens_details: { text_tokens: text, image_tokens: 0 },
    output_tokens: output,
    total_tokens: text + output,
  };
  const shown = behaviour.silentUsage ? {} : { usage };
  const picture = media('picture-1.png').toString('base64');
  const isStream = body.stream === true || body.stream === 'true';
  if (isStream) return stream(picture, count, shown, behaviour);
  const data = Array.from({ length: count }, () =>
    body.response_format === 'url' ? { url: `data:image/png;base64,${picture}` } : { b64_json: picture },
  );
  return whole({ created, data, size, output_format: 'png', ...shown }, behaviour);
}

/** Each image has one partial and one complete event; the last event has the usage of all. */
function stream(picture: string, count: number, shown: JsonObject, behaviour: Behaviour): LocalAnswer {
  const event = (type: string, fields: JsonObject) => ({
    type: `image_generation.${type}`,
    b64_json: picture,
    created_at: created,
    size,
    output_format: 'png',
    ...fields,
  });
  const events = Array.from({ length: count }, (_, index) => [
    event('partial_image', { partial_image_index: 0 }),
    event('completed', index === count - 1 ? shown : {}),
  ]);
  return typedEvents(events.flat(), behaviour);
}
