import { type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
import type { ProtocolId } from '../../relay/types/index.ts';

/** Protocols with answers of growing text. */
export type TextProtocol = Extract<
  ProtocolId,
  'openai-chat' | 'openai-completions' | 'openai-responses' | 'anthropic-messages' | 'gemini'
>;

/** An image or a piece of sound in an answer, as base64. */
export interface AnswerMedia {
  kind: 'image' | 'sound';
  base64: string;
}

/** An image of a size; it has no other content. */
export function imageOf(width: number, height: number): AnswerMedia {
  const bytes = Buffer.alloc(60, 7);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return { kind: 'image', base64: bytes.toString('base64') };
}

/** Samples of two bytes, 24,000 per second. */
export const soundOf = (seconds: number): AnswerMedia => ({
  kind: 'sound',
  base64: Buffer.alloc(Math.round(seconds * 48_000), 3).toString('base64'),
});

const dataUrl = (base64: string): string => `data:image/png;base64,${base64}`;

/** Wire formats of media: the delta of a chunk, the events of an item, a part. */
export const written = {
  chat: ({ kind, base64 }: AnswerMedia): JsonObject =>
    kind === 'sound'
      ? { audio: { data: base64 } }
      : { images: [{ type: 'image_url', image_url: { url: dataUrl(base64) } }] },
  responses({ kind, base64 }: AnswerMedia, index: number): { item: JsonObject; events: JsonObject[] } {
    if (kind === 'sound') {
      const message = { id: `item_${index}`, type: 'message', role: 'assistant', content: [] };
      return { item: message, events: [{ type: 'response.audio.delta', delta: base64 }] };
    }
    const item = { type: 'image_generation_call', id: `ig_${index}`, status: 'completed', result: base64 };
    const place = { output_index: index, item_id: item.id };
    const partial = { type: 'response.image_generation_call.partial_image', partial_image_index: 0 };
    return {
      item,
      events: [
        { type: 'response.output_item.added', output_index: index, item: { ...item, result: null } },
        { ...partial, ...place, partial_image_b64: base64 },
      ],
    };
  },
  gemini: ({ kind, base64 }: AnswerMedia): JsonObject => ({
    inlineData: { mimeType: kind === 'sound' ? 'audio/L16;codec=pcm;rate=24000' : 'image/png', data: base64 },
  }),
};

const picture = (url: string): AnswerMedia[] =>
  url.startsWith('data:') ? [{ kind: 'image', base64: url.slice(url.indexOf(',') + 1) }] : [];
const sound = (base64: string): AnswerMedia[] => (base64 === '' ? [] : [{ kind: 'sound', base64 }]);

/** Media in an event of a stream, apart from its text. */
export const mediaOf: Record<TextProtocol, (body: JsonObject) => AnswerMedia[]> = {
  'openai-chat': (body) => {
    const delta = objectOf(objectsIn(body.choices)[0]?.delta);
    const images = objectsIn(delta.images).map((image) => textOf(objectOf(image.image_url).url));
    return [...sound(textOf(objectOf(delta.audio).data)), ...images.flatMap(picture)];
  },
  'openai-completions': () => [],
  'anthropic-messages': () => [],
  // A started image counts as whole for a caller that has seen it: later events repeat it.
  'openai-responses': ({ type, delta, item }) => {
    if (type === 'response.audio.delta') return sound(textOf(delta));
    const { result, type: kind } = objectOf(item);
    if (type !== 'response.output_item.done' || kind !== 'image_generation_call') return [];
    return [{ kind: 'image', base64: textOf(result) }];
  },
  gemini: (body) =>
    objectsIn(objectOf(objectsIn(body.candidates)[0]?.content).parts).flatMap((part) => {
      const { mimeType, data } = objectOf(part.inlineData);
      if (textOf(mimeType).startsWith('audio')) return sound(textOf(data));
      return textOf(data) === ''
        ? picture(textOf(objectOf(part.fileData).fileUri))
        : [{ kind: 'image' as const, base64: textOf(data) }];
    }),
};

const markdown = /!\[image\]\((data:[^)]*)\)/g;

/** The pictures that a text has as markdown, and the text without them. */
export function picturesIn(text: string): { text: string; media: AnswerMedia[] } {
  const media = [...text.matchAll(markdown)].flatMap(([, url]) => picture(url ?? ''));
  return { text: text.replaceAll(markdown, ''), media };
}
